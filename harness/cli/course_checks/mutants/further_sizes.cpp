#include "harness/cli/course_checks/mutants/further_sizes.h"

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "harness/grade/case_plan.h"
#include "harness/problems/inputs.h"

namespace ridge::cli {

namespace {

constexpr int64_t kMostWork = int64_t{1} << 21;  // product of the extents
constexpr int kHidden = 10, kOfConstants = 24;

std::set<int64_t> constants_of(std::string_view source) {
  static const std::regex kNumber(R"((^|[^\w.])(\d{1,6})(?![\w.]))");
  const std::string text(source);
  std::set<int64_t> constants;
  for (std::sregex_iterator match(text.begin(), text.end(), kNumber), end; match != end; ++match)
    if (const int64_t value = std::stoll((*match)[2]); value >= 4) constants.insert(value);
  return constants;
}

// The largest extents that the rung or its problem has anyway. A constant that is an extent of
// columns says nothing about rows, and so many rows would take minutes.
problems::Sizes largest_extents(const course::Rung& rung, const problems::Problem& problem) {
  problems::Sizes largest = rung.virtual_size;
  const auto raise = [&](const problems::Sizes& sizes) {
    for (size_t at = 0; at < std::min(largest.size(), sizes.size()); ++at)
      largest[at] = std::max(largest[at], sizes[at]);
  };
  raise(problem.hidden_limit);
  for (const auto* list : {&problem.edge_sizes, &rung.sizes})
    for (const problems::Sizes& sizes : *list)
      raise(sizes);
  return largest;
}

int64_t product(const problems::Sizes& sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes)
    all *= std::max<int64_t>(size, 1);
  return all;
}

}  // namespace

std::vector<problems::Sizes> further_sizes(const course::Rung& rung, const problems::Problem& problem,
                                           std::string_view source, uint64_t seed) {
  std::vector<problems::Sizes> sizes = {rung.virtual_size};
  const auto add = [&](problems::Sizes one) {
    for (size_t at = 0; at < one.size(); ++at) {
      const int64_t step = problem.hidden_step.empty() ? 1 : problem.hidden_step[at];
      const int64_t wanted = std::max(one[at], problems::least_extent(problem, at));
      one[at] = (wanted + step - 1) / step * step;
    }
    if (problem.nearest_possible) one = problem.nearest_possible(one);
    if (product(one) > kMostWork || std::find(sizes.begin(), sizes.end(), one) != sizes.end()) return false;
    sizes.push_back(std::move(one));
    return true;
  };
  problems::Random random(seed);
  for (int i = 0; i < kHidden; ++i)
    add(grade::hidden_sizes(problem, random));
  const std::set<int64_t> found = constants_of(source);
  const std::vector<int64_t> constants(found.begin(), found.end());
  if (constants.empty()) return sizes;
  const problems::Sizes largest = largest_extents(rung, problem);
  for (int made = 0, tries = 0; made < kOfConstants && tries < 20 * kOfConstants; ++tries) {
    const size_t dimension = static_cast<size_t>(tries) % rung.virtual_size.size();
    const int64_t constant =
        constants[static_cast<size_t>(random.from_one_to(static_cast<int64_t>(constants.size()))) - 1];
    problems::Sizes one;
    for (size_t at = 0; at < rung.virtual_size.size(); ++at)
      one.push_back(at == dimension ? constant * random.from_one_to(4) + random.from_one_to(3) - 2
                                    : random.from_one_to(70));
    if (one[dimension] > 2 * largest[dimension]) continue;
    made += add(std::move(one)) ? 1 : 0;
  }
  return sizes;
}

}  // namespace ridge::cli
