// A failed CUDA call in the child, and whose call it was.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

namespace ridge::runner {

// A CUDA call that did not succeed, and whose it was: "setup" (the runner's), "launch" or "run" (the
// student's).
struct DeviceError {
  std::string stage;
  cudaError_t code = cudaSuccess;
  std::string what;
};

inline void check(cudaError_t code, std::string what, std::string stage = "setup") {
  if (code != cudaSuccess) throw DeviceError{std::move(stage), code, std::move(what)};
}

}  // namespace ridge::runner
