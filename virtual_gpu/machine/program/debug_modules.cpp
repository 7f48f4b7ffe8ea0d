#include "virtual_gpu/machine/program/debug_modules.h"

#include <link.h>

namespace ridge::machine {
namespace {

thread_local LookPast::Skips skips_now = nullptr;

}  // namespace

LookPast::LookPast(Skips skips) {
  skips_now = skips;
}
LookPast::~LookPast() {
  skips_now = nullptr;
}
LookPast::Skips LookPast::now() {
  return skips_now;
}

}  // namespace ridge::machine
