// --with nvcc, --with clang: the compiler, for every command that compiles.
#pragma once

#include <string>
#include <vector>

namespace ridge::cli {

// Takes the option out of the words before "--" and sets build::kCompilerVariable for this process and those that it
// starts. Throws UsageError for another name.
void take_compiler_option(std::vector<std::string>& words);

}  // namespace ridge::cli
