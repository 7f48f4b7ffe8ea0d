// The learner's text where clang does not take what nvcc takes: compiled from a copy under the same name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::build::clang {

// `__shared__ alignas(16) float tile[32];` with the alignment first: clang refuses alignas behind another
// specifier. The number of lines stays.
std::string with_alignas_first(const std::string& text);

// Options that make clang read changed copies, in `scratch`, of those of `files` that need one; none where none does.
std::vector<std::string> overlay_flags(const std::vector<std::filesystem::path>& files,
                                       const std::filesystem::path& scratch);

}  // namespace ridge::build::clang
