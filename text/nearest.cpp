#include "text/nearest.h"

#include <algorithm>
#include <utility>

namespace ridge::text {

size_t edit_distance(std::string_view a, std::string_view b) {
  // rows[i % 3] is the row of the table for the first i letters of a; a swap looks two rows back.
  std::vector<size_t> rows[3];
  for (auto& row : rows)
    row.assign(b.size() + 1, 0);
  for (size_t j = 0; j <= b.size(); ++j)
    rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substitute});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::vector<std::string> nearest(std::string_view typed, std::span<const std::string> names, size_t most) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(typed, name);
    const size_t allowed = std::max<size_t>(2, std::min(typed.size(), name.size()) / 3);
    const bool contained = typed.size() >= 3 && name.find(typed) != std::string::npos;
    // A distance as large as the word is not a similarity: "x" is not similar to "ab".
    if ((distance <= allowed && distance < std::max(typed.size(), name.size())) || contained) {
      near.emplace_back(contained ? std::min<size_t>(distance, 1) : distance, name);
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (const auto& [distance, name] : near) {
    if (result.size() == most) break;
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  }
  return result;
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace ridge::text
