#include "harness/sandbox/environment.h"

#include <unistd.h>

#include <algorithm>

extern char** environ;

namespace ridge::sandbox {

namespace {

// A trailing "*" means every name with this prefix.
constexpr std::string_view kPassedOn[] = {
    // the system
    "PATH", "LANG", "LC_*", "TZ", "TMPDIR", "HOME", "NO_COLOR",
    // the compiler and the CUDA Toolkit
    "CPATH", "CUDA_HOME", "CUDA_PATH", "NVCC", "NVCC_CCBIN",
    // the driver's choice of devices
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING",
    "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NCCL_*",
    // the virtual GPU's settings (trace/environment.h)
    "RIDGE_CHECKS", "RIDGE_CACHES", "RIDGE_THREADS", "RIDGE_TIME_LIMIT", "RIDGE_DEVICE", "RIDGE_DEVICES",
    "RIDGE_ISA", "RIDGE_NATIVE", "RIDGE_TRACE*", "RIDGE_REPORT", "RIDGE_NVCC_ASKED",
    // sanitizers, in builds with them
    "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"};

}  // namespace

bool may_be_passed_on(std::string_view variable) {
  return std::any_of(std::begin(kPassedOn), std::end(kPassedOn), [&](std::string_view allowed) {
    return allowed.ends_with('*') ? variable.starts_with(allowed.substr(0, allowed.size() - 1))
                                  : variable == allowed;
  });
}

std::vector<std::string> passed_on_environment() {
  std::vector<std::string> lines;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (may_be_passed_on(text.substr(0, text.find('=')))) lines.emplace_back(text);
  }
  return lines;
}

}  // namespace ridge::sandbox
