#include "harness/grade/diagnosis/index_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::grade {

int64_t IndexSet::count() const {
  return std::count(in.begin(), in.end(), true);
}

Recurrence recurrence_of(const IndexSet& set) {
  const auto n = static_cast<int64_t>(set.in.size());
  const auto has = [&](int64_t i) { return set.in[static_cast<size_t>(i)]; };
  // All small periods, then those of blocks and tiles.
  std::vector<int64_t> periods;
  for (int64_t p = 2; p <= 33; ++p)
    periods.push_back(p);
  for (int64_t p : {48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096})
    periods.push_back(p);
  for (const int64_t p : periods) {
    if (2 * p > n) break;
    int64_t first = p, last = -1, members = 0;
    for (int64_t i = 0; i < p; ++i) {
      if (!has(i)) continue;
      first = std::min(first, i);
      last = i;
      ++members;
    }
    if (members == 0 || members == p || last - first + 1 != members) continue;
    bool holds = true;
    for (int64_t i = p; i < n && holds; ++i)
      holds = has(i) == (i % p >= first && i % p <= last);
    if (holds) return {p, first, last};
  }
  return {};
}

std::string describe(const IndexSet& set, const std::string& one, const std::string& many) {
  const auto n = static_cast<int64_t>(set.in.size()), count = set.count();
  if (count == 0) return "";
  if (count == n) return fmt::format("all {} {}", n, n == 1 ? one : many);
  const auto begin = std::find(set.in.begin(), set.in.end(), true) - set.in.begin();
  // Past the last.
  const auto end = n - (std::find(set.in.rbegin(), set.in.rend(), true) - set.in.rbegin());
  if (end - begin == count) {
    if (end == n)
      return count == 1 ? fmt::format("the last of {} {}", n, many)
                        : fmt::format("the last {} of {} {}", count, n, many);
    if (begin == 0 && count > 1) return fmt::format("the first {} of {} {}", count, n, many);
    return count == 1 ? fmt::format("{} {}", one, begin)
                      : fmt::format("the {} from {} to {}", many, begin, end - 1);
  }
  const Recurrence again = recurrence_of(set);
  if (again.period == 0) return "";
  if (again.first == again.last)
    return fmt::format("one {} in {}, from {} {} on,", one, again.period, one, again.first);
  return fmt::format("those from {} to {} of every {} {}", again.first, again.last, again.period, many);
}

}  // namespace ridge::grade
