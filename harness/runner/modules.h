// Small .cu files of our own that the child opens while it times: kernels of known cost, and CUB, which is
// headers only. Their texts are in the program, so that a build copied to a GPU machine has them; nvcc
// compiles each once, into the cache of compiled labs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ridge::runner {

struct ModuleText {
  std::string_view name, text;
};
std::span<const ModuleText> module_texts();

// The shared object of module "timing" or "cub_sum". Throws std::runtime_error with nvcc's words when it does
// not compile, and std::invalid_argument for a name that is none.
std::filesystem::path compile_module(std::string_view name, const std::filesystem::path& cache,
                                     const std::string& architecture);

}  // namespace ridge::runner
