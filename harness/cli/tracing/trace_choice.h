// Checks the arguments of `ridge trace` and `ridge exec --trace` for blocks and limits before
// anything runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ridge::cli {

inline constexpr const char* kBlocksHelp =
    "blocks to trace: first, middle, last, edge, 17, 3:2:0, all (default: the four words)";
inline constexpr const char* kLimitHelp = "the largest trace, in MB (default 64)";

// Throws UsageError when a word of the list (trace/environment.h) is not a block of any grid.
void check_blocks(const std::string& blocks);
// Throws UsageError when the name of the trace is that of a folder.
void check_trace_file(const std::filesystem::path& file);
// Throws UsageError outside 1 KB to 4 GB; 0 stays 0: the default.
uint64_t limit_bytes(double megabytes);

}  // namespace ridge::cli
