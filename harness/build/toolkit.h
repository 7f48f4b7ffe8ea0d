// The CUDA Toolkit that compiles the labs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ridge::build {

inline constexpr int kToolkitMajor =
    13;  // the major version whose libcudart.so the virtual GPU takes the place of

struct Toolkit {
  std::filesystem::path nvcc;
  std::filesystem::path folder;  // the one that holds bin, include and lib64
  std::string version;           // "13.0"
  int major = 0;
  std::string build;  // all that nvcc --version prints: part of the cache's key
};

// Looks at $NVCC, $CUDA_HOME/bin, PATH and /usr/local/cuda/bin, in that order. Throws std::runtime_error when
// an nvcc that was found does not run.
std::optional<Toolkit> find_toolkit();
// The same, throwing std::runtime_error that says what to install when there is none or it is too old.
Toolkit need_toolkit();

}  // namespace ridge::build
