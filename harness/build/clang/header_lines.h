// Line information in LLVM IR: what is inlined from a header of the compiler has the line of its caller.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ridge::build {

// `lines` are the lines of an LLVM IR text that is not optimised yet. Functions of files under one of the folders
// `system` lose their line information; LLVM gives what it inlines of them the line of the call.
void drop_lines_of_headers(std::vector<std::string>& lines,
                           std::span<const std::filesystem::path> system);

}  // namespace ridge::build
