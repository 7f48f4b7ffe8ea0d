// The compiler of the CUDA code that tests compile when they run: nvcc, or clang where there is no toolkit
// (cmake/cuda_compiler.cmake). It takes the options of nvcc.
#pragma once

#include <filesystem>
#include <string>

#include "tests/catch.h"

namespace ridge::tests {

inline const std::string kCudaCompiler = RIDGE_CUDA_COMPILER;
inline constexpr bool kHasNvcc = RIDGE_HAS_NVCC;

// For what was compiled before: it is compiled again when the compiler is newer.
inline std::filesystem::file_time_type compiler_time() {
  return std::filesystem::last_write_time(kCudaCompiler);
}

// Begins a test case tagged [nvcc]: `if (skipped_without_nvcc("machine code")) return;`. True, with a sentence that
// ctest recognises, where there is no toolkit. `what`: what the case needs it for.
inline bool skipped_without_nvcc(const std::string& what) {
  if (kHasNvcc) return false;
  WARN("skipped: needs nvcc of the CUDA Toolkit, for " << what);
  return true;
}

}  // namespace ridge::tests
