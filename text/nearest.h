// Which of some names is closest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::text {

// Damerau-Levenshtein (optimal string alignment): insertions, deletions, substitutions and swaps of
// neighbours, one each.
size_t edit_distance(std::string_view a, std::string_view b);

// Up to `most` of `names`, nearest first, that are near enough to be meant: at most a third of the letters
// differ (and 2 in a short name), or one contains the other.
std::vector<std::string> nearest(std::string_view typed, std::span<const std::string> names, size_t most = 3);

// "a", "a or b", "a, b or c".
std::string listed(std::span<const std::string> names);

}  // namespace ridge::text
