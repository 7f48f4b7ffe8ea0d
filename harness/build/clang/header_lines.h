// Line information in LLVM IR: what is inlined from a header has the line of its caller.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ridge::build {

// Which functions are a header's.
struct Headers {
  std::span<const std::filesystem::path> system;  // folders: all functions of their files
  std::filesystem::path own;                      // if not empty: all functions of other files but kernels
};

// `lines` are the lines of an LLVM IR text that is not optimised yet. The functions of headers lose their line
// information; LLVM gives what it inlines of them the line of the call. PTX of clang does not say where the call was.
void drop_lines_of_headers(std::vector<std::string>& lines, const Headers& headers);

}  // namespace ridge::build
