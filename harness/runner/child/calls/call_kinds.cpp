// What a call of the runtime does, by its name.
#include <algorithm>
#include <span>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

namespace {

constexpr std::string_view kLaunching[] = {"cudaLaunchKernel", "cudaLaunchKernelExC",
                                           "__cudaLaunchKernel", "cudaLaunchCooperativeKernel",
                                           "cudaGraphLaunch"};
constexpr std::string_view kWaitingForDevice[] = {
    "cudaDeviceSynchronize", "cudaFree",           "cudaFreeHost",        "cudaMemcpy",
    "cudaMemcpy2D",          "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool launches(std::string_view call) {
  return is_one_of(call, kLaunching);
}

bool waits_for_device(std::string_view call) {
  return is_one_of(call, kWaitingForDevice);
}

bool waits(std::string_view call) {
  return waits_for_device(call) || call == "cudaStreamSynchronize" ||
         call == "cudaEventSynchronize";
}

bool copies(const ObservedCall& call) {
  return call.name.starts_with("cudaMemcpy");
}

bool frees(const ObservedCall& call) {
  return call.name.starts_with("cudaFree");
}

bool allocates(const ObservedCall& call) {
  return call.name.starts_with("cudaMalloc") || call.name == "cudaHostAlloc";
}

bool is_harmless_driver_function(std::string_view name) {
  return name.starts_with("cuTensorMap") || name.starts_with("cuGetError");
}

}  // namespace ridge::runner
