// Finds the names most similar to a typed word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::text {

// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and
// swaps of neighbours cost one each.
size_t edit_distance(std::string_view a, std::string_view b);

// At most `most` of `names`, nearest first, that are similar enough: at most a third of the letters
// differ (2 in a short name), or one contains the other.
std::vector<std::string> nearest(std::string_view typed, std::span<const std::string> names, size_t most = 3);

// "a", "a or b", "a, b or c".
std::string listed(std::span<const std::string> names);

}  // namespace ridge::text
