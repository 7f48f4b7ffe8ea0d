// Thrown for a kernel or a variable that cannot be loaded.
#pragma once

#include <stdexcept>

#include "virtual_gpu/runtime/api/cuda_api.h"

namespace ridge::runtime {

// A kernel or a variable cannot be used: the code that the runtime returns, and a message for the
// user.
struct LoadError : std::runtime_error {
  LoadError(cudaError_t error_code, const std::string& message, bool said = false)
      : std::runtime_error(message), code(error_code), was_reported(said) {}
  cudaError_t code;
  bool was_reported;  // the message was already shown for an earlier failure
};

}  // namespace ridge::runtime
