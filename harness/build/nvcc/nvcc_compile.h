// One .cu to one shared object, by nvcc.
#pragma once

#include <string>
#include <vector>

#include "harness/build/compile.h"
#include "harness/build/one_file.h"
#include "harness/build/toolkit.h"

namespace ridge::build {

// The version of what is left out of headers, in the cache's key: increase it after a change of
// harness/build/preprocessed that may change what a file compiles to.
inline constexpr int kShorterHeadersVersion = 1;

// Whether nvcc would lose or garble this name, so that the file must be compiled under another one.
bool nvcc_loses(const std::filesystem::path& file);

// Throws Interrupted, and std::runtime_error when the end of nvcc says nothing about the source.
Compiled compile_by_nvcc(const OneFile& file, const Toolkit& toolkit,
                         const std::vector<std::string>& flags);

}  // namespace ridge::build
