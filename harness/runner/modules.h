// Small .cu files of our own that the child opens for timing: kernels of known cost, and CUB, which
// consists of headers. Their texts are embedded in the program, so that a build that was copied to
// a GPU machine has them; nvcc compiles each once, into the cache of compiled labs.
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

// The shared object of module "timing" or "cub_sum". Throws std::runtime_error with nvcc's message
// when it does not compile, and std::invalid_argument for an unknown name.
std::filesystem::path compile_module(std::string_view name, const std::filesystem::path& cache,
                                     const std::string& architecture);

}  // namespace ridge::runner
