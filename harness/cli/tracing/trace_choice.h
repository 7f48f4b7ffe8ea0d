// What `ridge trace` and `ridge exec --trace` are told of blocks and limits, checked before anything runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ridge::cli {

inline constexpr const char* kBlocksHelp =
    "blocks to trace: first, middle, last, edge, 17, 3:2:0, all (default: the four words)";
inline constexpr const char* kLimitHelp = "the largest trace, in MB (default 64)";

// Throws UsageError when a word of the list (trace/environment.h) can be no block of any grid.
void check_blocks(const std::string& blocks);
// Throws UsageError when a trace cannot be called so, because a folder is.
void check_trace_file(const std::filesystem::path& file);
// Throws UsageError outside 1 KB to 4 GB; 0 is 0: the default.
uint64_t limit_bytes(double megabytes);

}  // namespace ridge::cli
