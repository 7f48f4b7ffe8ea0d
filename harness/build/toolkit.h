// The CUDA Toolkit that compiles the labs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ridge::build {

inline constexpr int kToolkitMajor =
    13;  // the major version of the libcudart.so that the virtual GPU replaces

struct Toolkit {
  std::filesystem::path nvcc;
  std::filesystem::path folder;  // contains bin, include and lib64
  std::string version;           // "13.0"
  int major = 0;
  std::string build;  // the output of nvcc --version: part of the cache's key
};

// Searches $NVCC, $CUDA_HOME/bin, PATH and /usr/local/cuda/bin, in that order. Throws
// std::runtime_error when an nvcc was found and does not run.
std::optional<Toolkit> find_toolkit();
// The same; throws std::runtime_error that says what to install when there is none or it is too
// old.
Toolkit need_toolkit();

}  // namespace ridge::build
