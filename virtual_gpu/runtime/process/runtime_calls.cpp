#include "virtual_gpu/runtime/process/runtime_calls.h"

namespace ridge::runtime {
namespace {

thread_local int call_depth = 0;

}  // namespace

RuntimeCalls& runtime_calls() {
  static RuntimeCalls calls;
  return calls;
}

CountedCall::CountedCall() {
  if (call_depth++ == 0) ++runtime_calls().all;
}
CountedCall::~CountedCall() {
  --call_depth;
}

}  // namespace ridge::runtime
