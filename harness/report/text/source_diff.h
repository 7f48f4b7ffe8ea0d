// What changed between two versions of a source file, as git tells it, or diff(1) where there is no git.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ridge::report {

struct LineChange {
  int added = 0, removed = 0;
  bool operator==(const LineChange&) const = default;
};

struct VersionPair {
  std::string before, after;
};

// One for each pair; none where neither git nor diff could be run.
std::vector<std::optional<LineChange>> count_changes(std::span<const VersionPair> pairs);

// The changed lines with three around them, from the first "@@" on; empty when the texts are the same. Throws
// std::runtime_error when there is neither git nor diff.
std::string unified_diff(const VersionPair& pair, bool colour);

// "+6 -1", "=" for no change, "?" for not known.
std::string change_words(const std::optional<LineChange>& change);

}  // namespace ridge::report
