// What a call of the runtime does, by its name.
#include <algorithm>
#include <array>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

namespace {

constexpr std::array<std::string_view, 5> kLaunching = {
    "cudaLaunchKernel", "cudaLaunchKernelExC", "__cudaLaunchKernel", "cudaLaunchCooperativeKernel",
    "cudaGraphLaunch"};

}  // namespace

bool launches(std::string_view call) {
  return std::find(kLaunching.begin(), kLaunching.end(), call) != kLaunching.end();
}

bool frees(const ObservedCall& call) {
  return call.name.starts_with("cudaFree");
}

bool allocates(const ObservedCall& call) {
  return call.name.starts_with("cudaMalloc") || call.name == "cudaHostAlloc";
}

}  // namespace ridge::runner
