#include "harness/grade/case_plan.h"

#include <algorithm>

namespace ridge::grade {

namespace {

int64_t elements_of(const problems::Sizes& sizes) {
  int64_t elements = 1;
  for (const int64_t size : sizes)
    elements *= std::max<int64_t>(size, 1);
  return elements;
}

// The index of the largest size with two extents or more that are all multiples of 32; the number
// of sizes when there is none.
size_t whole_tiles_of(const std::vector<problems::Sizes>& all) {
  size_t found = all.size();
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_whole =
        all[i].size() > 1 &&
        std::all_of(all[i].begin(), all[i].end(), [](int64_t size) { return size % 32 == 0; });
    if (is_whole && (found == all.size() || elements_of(all[i]) > elements_of(all[found])))
      found = i;
  }
  return found;
}

size_t largest_of(const std::vector<problems::Sizes>& all) {
  size_t found = 0;
  for (size_t i = 1; i < all.size(); ++i)
    if (elements_of(all[i]) > elements_of(all[found])) found = i;
  return found;
}

int64_t elements_of_buffers(const problems::Problem& problem, const problems::Sizes& sizes) {
  int64_t elements = 0;
  for (const problems::Buffer& buffer : problem.buffers(sizes))
    elements += buffer.elements();
  return elements;
}

// The rung's largest size of at most `most_elements` (product of the extents) whose buffers have at
// most `most_in_buffers`; nullptr: there is none.
const problems::Sizes* largest_within(const course::Rung& rung, const problems::Problem& problem,
                                      int64_t most_elements, int64_t most_in_buffers) {
  const problems::Sizes* found = nullptr;
  int64_t largest = 0;
  for (const problems::Sizes& sizes : rung.sizes) {
    if (elements_of(sizes) > most_elements) continue;
    const int64_t elements = elements_of_buffers(problem, sizes);
    if (elements > most_in_buffers || elements <= largest) continue;
    found = &sizes;
    largest = elements;
  }
  return found;
}

}  // namespace

problems::Sizes hidden_sizes(const problems::Problem& problem, problems::Random& random) {
  problems::Sizes sizes;
  for (size_t at = 0; at < problem.hidden_limit.size(); ++at) {
    const int64_t step = problem.hidden_step.empty() ? 1 : problem.hidden_step[at];
    const int64_t below = problems::least_extent(problem, at) == 0 ? 1 : 0;  // may be 0
    const int64_t drawn = random.from_one_to(problem.hidden_limit[at] + below) - below;
    sizes.push_back((drawn + step - 1) / step * step);
  }
  return problem.nearest_possible ? problem.nearest_possible(sizes) : sizes;
}

std::vector<PlannedCase> cases_between(const problems::Problem& problem, problems::Random& random) {
  constexpr int64_t kMostBetween = 3;
  std::vector<PlannedCase> cases(static_cast<size_t>(random.from_one_to(kMostBetween + 1) - 1));
  for (PlannedCase& one : cases)
    one = {hidden_sizes(problem, random), problems::Draw::uniform, random.next(), true, false};
  return cases;
}

std::vector<PlannedCase> plan_cases(const course::Rung& rung, const problems::Problem& problem,
                                    uint64_t seed, int64_t most_elements) {
  constexpr int kHiddenSizes = 3;
  problems::Random random(seed);
  std::vector<PlannedCase> plan;
  auto add = [&](const problems::Sizes& sizes, problems::Draw draw, bool hidden) {
    bool there = std::any_of(plan.begin(), plan.end(),
                             [&](const PlannedCase& other) { return other.sizes == sizes; });
    if (!there) plan.push_back({sizes, draw, random.next(), hidden, false});
  };
  // uniform, offset, uniform, outliers, uniform, alternating, ...
  auto next_draw = [&] {
    size_t index = plan.size();
    auto other = static_cast<int>(index / 2 % (problems::kDraws - 1));
    return index % 2 == 0 ? problems::Draw::uniform : static_cast<problems::Draw>(1 + other);
  };
  // A matrix of several complete tiles comes first: its error map shows patterns best.
  const size_t whole = whole_tiles_of(problem.edge_sizes), largest = largest_of(problem.edge_sizes);
  if (whole < problem.edge_sizes.size())
    add(problem.edge_sizes[whole], problems::Draw::uniform, false);
  for (size_t i = 0; i < problem.edge_sizes.size(); ++i)
    add(problem.edge_sizes[i], i == largest ? problems::Draw::ascending : next_draw(), false);
  for (int i = 0; i < kHiddenSizes; ++i)
    add(hidden_sizes(problem, random), next_draw(), true);
  plan.push_back({plan.back().sizes, problems::Draw::uniform, random.next(), false, true});
  for (const problems::Sizes& sizes : rung.sizes) {
    if (elements_of(sizes) <= most_elements) add(sizes, problems::Draw::uniform, false);
  }
  // Each kind of inputs also where loops have several iterations and most blocks work, not only at
  // the size that happened to have it above.
  constexpr int64_t kMostExtreme = int64_t{1} << 19;
  auto again = [&](const problems::Sizes& sizes, problems::Draw draw) {
    const bool there = std::any_of(plan.begin(), plan.end(), [&](const PlannedCase& other) {
      return other.sizes == sizes && other.draw == draw;
    });
    if (!there) plan.push_back({sizes, draw, random.next(), false, false});
  };
  if (largest < problem.edge_sizes.size())
    for (int draw = 1; draw < problems::kDraws; ++draw)
      again(problem.edge_sizes[largest], static_cast<problems::Draw>(draw));
  if (const problems::Sizes* long_loops =
          largest_within(rung, problem, most_elements, kMostExtreme))
    again(*long_loops, problems::Draw::outliers);
  return plan;
}

}  // namespace ridge::grade
