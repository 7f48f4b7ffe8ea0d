// A clang that can compile CUDA C++ to PTX for sm_90a, and what it needs of ours.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::build::clang {

// sm_90a came with clang 18. 19 is what the tests run with and is tried first.
inline constexpr int kOldest = 18, kPreferred = 19, kNewest = 30;

struct Clang {
  std::filesystem::path program;  // clang++-19
  std::string version;            // "19.1.7"
  int major = 0;
  std::filesystem::path headers;  // our CUDA headers
  // Our part of CUB, for whole programs only: a lab that includes it would hand in a library's kernel.
  std::filesystem::path program_headers;
  std::filesystem::path cudart;   // the virtual GPU's libcudart.so.13, to link with
  std::string build;              // version and headers: part of the cache's key

  std::vector<std::filesystem::path> readable() const;  // what a sandbox must show
};

// Looks at $RIDGE_CLANG, then for clang++-19 and other versions in PATH. Nothing where there is none, or where this
// build of Ridgepoint has no headers for it.
std::optional<Clang> find_clang();

}  // namespace ridge::build::clang
