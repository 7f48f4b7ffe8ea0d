// A failed CUDA call in the child, and the stage of grading that made it.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

namespace ridge::runner {

// A failed CUDA call and its stage: "setup" (a call of the runner), "launch" or "run" (of the
// student).
struct DeviceError {
  std::string stage;
  cudaError_t code = cudaSuccess;
  std::string what;
};

inline void check(cudaError_t code, std::string what, std::string stage = "setup") {
  if (code != cudaSuccess) throw DeviceError{std::move(stage), code, std::move(what)};
}

}  // namespace ridge::runner
