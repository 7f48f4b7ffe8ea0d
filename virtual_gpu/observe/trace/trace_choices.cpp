// Selects the blocks of a trace, and the files whose texts it contains.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>
#include <system_error>

#include "trace/environment.h"
#include "trace/record_names.h"
#include "virtual_gpu/observe/trace/trace_recorder.h"

namespace ridge::observe {
namespace {

constexpr uint64_t kMaxBlocks = 65536;  // for "all": each block has its own lists and lock
constexpr uint64_t kLargestSourceBytes = 1 << 20, kAllSourcesBytes = 8 << 20;

uint64_t block_of(std::string_view word, const std::array<uint32_t, 3>& grid) {
  if (const std::optional<uint64_t> block = trace::linear_block(word, grid)) return *block;
  const uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  if (!word.empty() && word.find_first_not_of("0123456789:,") == std::string_view::npos) {
    throw std::runtime_error(fmt::format(
        "block {} cannot be traced: the grid is {} x {} x {}, {} blocks, 0 to {}; choose one of them", word,
        grid[0], grid[1], grid[2], blocks, blocks - 1));
  }
  throw std::runtime_error(
      fmt::format("\"{}\" is no block to trace: write \"first\", \"middle\", \"last\", \"edge\", a linear "
                  "index, blockIdx as 3:2:0, or \"all\"",
                  word));
}

void insert_all(std::set<uint64_t>& blocks, const std::array<uint32_t, 3>& grid) {
  const uint64_t count = uint64_t{grid[0]} * grid[1] * grid[2];
  if (count > kMaxBlocks)
    throw std::runtime_error(
        fmt::format("the grid is {} x {} x {}, {} blocks, and at most {} can be traced at once; choose some, "
                    "such as \"first\", or launch fewer",
                    grid[0], grid[1], grid[2], count, kMaxBlocks));
  for (uint64_t block = 0; block < count; ++block)
    blocks.insert(blocks.end(), block);
}

}  // namespace

std::vector<uint64_t> choose_blocks(std::string_view words, const std::array<uint32_t, 3>& grid) {
  if (words.empty()) words = trace::kTraceDefaultBlocks;
  const char between = words.find('|') == std::string_view::npos ? ',' : '|';
  std::set<uint64_t> blocks;
  while (true) {
    const size_t comma = words.find(between);
    std::string_view word = words.substr(0, comma);
    while (word.starts_with(' '))
      word.remove_prefix(1);
    while (word.ends_with(' '))
      word.remove_suffix(1);
    if (word == "all")
      insert_all(blocks, grid);
    else
      blocks.insert(block_of(word, grid));
    if (comma == std::string_view::npos) break;
    words.remove_prefix(comma + 1);
  }
  return {blocks.begin(), blocks.end()};
}

std::vector<trace::TraceSource> read_sources(const std::vector<trace::TraceInstruction>& instructions) {
  std::vector<trace::TraceSource> sources;
  std::set<std::string> seen;
  uint64_t total = 0;
  for (const trace::TraceInstruction& instruction : instructions) {
    if (instruction.file.empty() || !seen.insert(instruction.file).second) continue;
    std::error_code error;
    const uint64_t bytes = std::filesystem::file_size(instruction.file, error);
    if (error || bytes > kLargestSourceBytes || total + bytes > kAllSourcesBytes) continue;
    std::ifstream stream(instruction.file, std::ios::binary);
    std::string text(bytes, '\0');
    if (!stream.read(text.data(), static_cast<std::streamsize>(bytes))) continue;
    total += bytes;
    sources.push_back({instruction.file, std::move(text)});
  }
  return sources;
}

}  // namespace ridge::observe
