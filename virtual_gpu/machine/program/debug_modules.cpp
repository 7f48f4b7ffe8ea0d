#include "virtual_gpu/machine/program/debug_modules.h"

#include <link.h>

namespace ridge::machine {
namespace {

thread_local ModuleFilter::Skips skips_now = nullptr;

}  // namespace

ModuleFilter::ModuleFilter(Skips skips) {
  skips_now = skips;
}
ModuleFilter::~ModuleFilter() {
  skips_now = nullptr;
}
ModuleFilter::Skips ModuleFilter::now() {
  return skips_now;
}

}  // namespace ridge::machine
