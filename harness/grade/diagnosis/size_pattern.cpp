#include "harness/grade/diagnosis/size_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ridge::grade {

namespace {

using problems::Sizes;

constexpr size_t kFewestRight = 4;  // a common property of fewer sizes is chance

std::set<int64_t> extents(const std::vector<Sizes>& sizes, size_t dimension) {
  std::set<int64_t> values;
  for (const Sizes& one : sizes)
    values.insert(one[dimension]);
  return values;
}

bool all_multiples(const std::set<int64_t>& values, int64_t of, bool wanted) {
  return std::all_of(values.begin(), values.end(),
                     [&](int64_t value) { return (value % of == 0) == wanted; });
}

}  // namespace

Answer sizes_apart(const problems::Problem& problem, const std::vector<Sizes>& right,
                   const std::vector<Sizes>& wrong) {
  if (right.size() < kFewestRight || wrong.empty()) return {};
  std::string most, least;  // of every extent that separates the two sets
  int apart = 0;
  for (size_t d = 0; d < problem.size_names.size(); ++d) {
    const int64_t right_most = *extents(right, d).rbegin(), wrong_least = *extents(wrong, d).begin();
    if (wrong_least <= right_most) continue;
    most += fmt::format("{}{} = {}", apart ? ", " : "", problem.size_names[d], right_most);
    least += fmt::format("{}{} = {}", apart ? ", " : "", problem.size_names[d], wrong_least);
    ++apart;
  }
  if (apart) return Finding{"wrong.above_a_size", {{"right", most}, {"wrong", least}}};
  for (size_t d = 0; d < problem.size_names.size(); ++d) {
    const std::set<int64_t> good = extents(right, d), bad = extents(wrong, d);
    if (good.size() < kFewestRight) continue;
    const std::string_view name = problem.size_names[d];
    for (int64_t multiple = 2; multiple <= 256; multiple *= 2)
      if (all_multiples(good, multiple, true) && all_multiples(bad, multiple, false))
        return Finding{"wrong.no_multiple", {{"size", std::string(name)}, {"multiple", multiple}}};
  }
  return {};
}

}  // namespace ridge::grade
