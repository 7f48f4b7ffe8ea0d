#include "virtual_gpu/machine/program/toolkit_path.h"

#include <algorithm>
#include <array>

namespace ridge::machine {
namespace {

// CCCL by its folder names, wherever it is installed; the toolkit's own tree; NVIDIA's Python
// packages; our headers for clang, which a build folder has a copy of.
constexpr std::array<std::string_view, 8> kFolders = {
    "/cccl/",    "/include/cub/", "/include/thrust/",    "/include/cuda/",
    "/targets/", "/nvidia/cu",    "/share/cuda_headers/", "/share/cuda_program_headers/"};

}  // namespace

bool is_toolkit_header(std::string_view path) {
  const auto is_in = [&](std::string_view folder) { return path.find(folder) != std::string_view::npos; };
  if (std::any_of(kFolders.begin(), kFolders.end(), is_in)) return true;
  // .../cuda/include/ and .../cuda-13.0/include/, but not a student's cuda-kernels/include/.
  constexpr std::string_view kName = "/cuda";
  for (size_t at = path.find(kName); at != std::string_view::npos; at = path.find(kName, at + 1)) {
    const std::string_view rest = path.substr(at + kName.size());
    const size_t version = std::min(rest.find_first_not_of("-.0123456789"), rest.size());
    if (rest.substr(version).starts_with("/include/")) return true;
  }
  return false;
}

}  // namespace ridge::machine
