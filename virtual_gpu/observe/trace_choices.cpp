// What a trace is of: which blocks, and which files' texts go into it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <stdexcept>
#include <system_error>

#include "virtual_gpu/observe/trace_recorder.h"

namespace ridge::observe {
namespace {

constexpr uint64_t kLargestSourceBytes = 1 << 20, kAllSourcesBytes = 8 << 20;

uint64_t block_of(std::string_view word, uint64_t blocks_in_grid) {
  if (word == "first") return 0;
  if (word == "middle") return blocks_in_grid / 2;
  if (word == "last") return blocks_in_grid - 1;
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (error != std::errc() || end != word.data() + word.size()) {
    throw std::runtime_error(fmt::format(
        "\"{}\" is no block to trace: write \"first\", \"middle\", \"last\" or a linear index", word));
  }
  if (index >= blocks_in_grid) {
    throw std::runtime_error(
        fmt::format("block {} cannot be traced: the grid has {} blocks, 0 to {}; choose one of them", index,
                    blocks_in_grid, blocks_in_grid - 1));
  }
  return index;
}

}  // namespace

std::vector<uint64_t> choose_blocks(std::string_view words, uint64_t blocks_in_grid) {
  if (blocks_in_grid == 0) return {};
  if (words.empty()) words = "first,middle,last";
  std::set<uint64_t> blocks;
  while (true) {
    const size_t comma = words.find(',');
    std::string_view word = words.substr(0, comma);
    while (word.starts_with(' '))
      word.remove_prefix(1);
    while (word.ends_with(' '))
      word.remove_suffix(1);
    blocks.insert(block_of(word, blocks_in_grid));
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
