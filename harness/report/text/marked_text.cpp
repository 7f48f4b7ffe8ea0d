#include "harness/report/text/marked_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "text/layout.h"

namespace ridge::report {
namespace {

constexpr std::string_view kOpen = "<!-- ridge: ", kClose = " -->", kEnd = "end";

// Returns the key if the line is a mark.
std::optional<std::string> mark_in(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
    line.remove_suffix(1);
  if (!line.starts_with(kOpen) || !line.ends_with(kClose)) return std::nullopt;
  return std::string(line.substr(kOpen.size(), line.size() - kOpen.size() - kClose.size()));
}

std::string_view without_line_feed(std::string_view line) {
  return line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
}

struct Parsed {
  std::string preface;  // text above the first block
  std::vector<MarkedBlock> blocks;
};

Parsed parse(const std::string& text) {
  Parsed parsed;
  const auto lines = text::lines_with_ends(text);
  const auto words = [&]() -> std::string& {
    return parsed.blocks.empty() ? parsed.preface : parsed.blocks.back().words;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto key = mark_in(without_line_feed(lines[i]));
    if (!key || *key == kEnd) {
      if (!key) words() += lines[i];  // an end mark without a block is ignored
      continue;
    }
    // Find its end mark, unless another block begins first.
    size_t end = i + 1;
    std::optional<std::string> mark;
    while (end < lines.size() && !(mark = mark_in(without_line_feed(lines[end]))))
      ++end;
    parsed.blocks.push_back({*key, "", ""});
    // Without an end mark all that follows is kept as the student's words.
    if (mark != std::string(kEnd)) continue;
    for (++i; i < end; ++i)
      parsed.blocks.back().text += lines[i];
  }
  return parsed;
}

std::string whole_lines(const std::string& text) {
  return text.empty() || text.ends_with('\n') ? text : text + "\n";
}

std::string written(const MarkedBlock& block) {
  return fmt::format("{}{}{}\n{}{}{}{}\n{}", kOpen, block.key, kClose, whole_lines(block.text), kOpen, kEnd,
                     kClose, whole_lines(block.words));
}

}  // namespace

std::string rewritten(const std::vector<MarkedBlock>& blocks, const std::string& before) {
  Parsed old = parse(before);
  // Two old blocks with one key, for example after a merge of two copies: keep the words of both.
  for (size_t i = 0; i < old.blocks.size(); ++i) {
    for (size_t j = old.blocks.size() - 1; j > i; --j) {
      if (old.blocks[j].key != old.blocks[i].key) continue;
      old.blocks[i].words += old.blocks[j].words;
      old.blocks.erase(old.blocks.begin() + static_cast<ptrdiff_t>(j));
    }
  }
  const auto place_of = [](const std::vector<MarkedBlock>& among, const std::string& key) {
    return std::find_if(among.begin(), among.end(),
                        [&](const MarkedBlock& block) { return block.key == key; });
  };
  std::string text = whole_lines(old.preface);
  const auto write_unknown_from = [&](std::vector<MarkedBlock>::const_iterator block) {
    for (; block != old.blocks.end() && place_of(blocks, block->key) == blocks.end(); ++block)
      text += written(*block);
  };
  write_unknown_from(old.blocks.begin());
  for (MarkedBlock block : blocks) {
    const auto kept = place_of(old.blocks, block.key);
    if (kept != old.blocks.end()) block.words = kept->words;
    text += written(block);
    if (kept != old.blocks.end()) write_unknown_from(kept + 1);
  }
  return text;
}

}  // namespace ridge::report
