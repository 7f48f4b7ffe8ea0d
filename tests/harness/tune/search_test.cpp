// The search against machines that we make up: what it must find, in how many tries, and that trying at
// random does not.
#include "harness/tune/search.h"

#include <numeric>

#include "tests/catch.h"
#include "tests/harness/tune/made_up_machine.h"

using namespace ridge;
using tests::MadeUpMachine;

namespace {

struct Case {
  const char* name;
  double second_peak, noise;
  double least_within;  // the share of searches that end within 2%
};

const std::vector<tune::Candidate>& settings() {
  static const std::vector<tune::Candidate> all = tests::tiled_settings();
  return all;
}

const tune::Features& features() {
  static const tune::Features all = [] {
    std::vector<size_t> which(settings().size());
    std::iota(which.begin(), which.end(), 0);
    return tune::features_of(settings(), which);
  }();
  return all;
}

// How far, in percent, the best of the tries really is from the best there is.
double gap_of(const std::vector<double>& truth, size_t found) {
  return 100 * (1 - truth[found] / *std::max_element(truth.begin(), truth.end()));
}

struct Gaps {
  std::vector<double> searched, random;
  double share_within(const std::vector<double>& gaps, double percent) const {
    return static_cast<double>(
               std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap <= percent; })) /
           static_cast<double>(gaps.size());
  }
};

Gaps gaps_of(const Case& c) {
  Gaps gaps;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    MadeUpMachine machine = MadeUpMachine::random(seed);
    machine.second_peak = c.second_peak;
    std::vector<double> truth;
    for (const tune::Candidate& one : settings())
      truth.push_back(machine.percent(one));
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    for (int start = 0; start < 8; ++start) {
      std::vector<double> seen = truth;
      for (double& percent : seen)
        percent *= 1 + c.noise * normal(generator);
      const std::vector<tune::Try> tries = tune::replay(features(), generator() % settings().size(), seen);
      REQUIRE(tries.size() <= 16);
      const auto best = std::max_element(tries.begin(), tries.end(),
                                         [](const auto& a, const auto& b) { return a.score < b.score; });
      gaps.searched.push_back(gap_of(truth, best->candidate));
      size_t chance = 0;
      for (int i = 0; i < 16; ++i) {
        const size_t one = generator() % settings().size();
        if (i == 0 || seen[one] > seen[chance]) chance = one;
      }
      gaps.random.push_back(gap_of(truth, chance));
    }
  }
  return gaps;
}

}  // namespace

TEST_CASE(
    "sixteen tries of some 240 settings come within 2% of the best, where one hill leads there from "
    "anywhere") {
  CHECK(settings().size() > 200);
  for (const Case& c : {Case{"one hill", 0, 0, 0.95},
                        {"a second hill elsewhere", 12, 0, 0.85},
                        {"0.3% of noise", 0, 0.003, 0.95},
                        {"a second hill and 0.5% of noise", 12, 0.005, 0.8}}) {
    const Gaps gaps = gaps_of(c);
    const double within = gaps.share_within(gaps.searched, 2), by_chance = gaps.share_within(gaps.random, 2);
    INFO(c.name << ": " << 100 * within << "% of the searches, " << 100 * by_chance << "% by chance");
    CHECK(within >= c.least_within);
    CHECK(*std::max_element(gaps.searched.begin(), gaps.searched.end()) < 4);
    // Were the hills flat at the top, anything would pass.
    CHECK(by_chance < 0.6);
  }
}

TEST_CASE("a search starts with the file's values, tries nothing twice and ends when all is tried") {
  const tune::Features line = {{0.0}, {0.25}, {0.5}, {0.75}, {1.0}};
  tune::Search search(line, 3);
  std::vector<size_t> order;
  while (const auto next = search.next()) {
    order.push_back(*next);
    search.tell(*next, 10 + static_cast<double>(*next));
  }
  CHECK(order.front() == 3);
  std::sort(order.begin(), order.end());
  CHECK(order == std::vector<size_t>{0, 1, 2, 3, 4});
  CHECK(search.best().candidate == 4);
}

TEST_CASE("what could not be measured is not proposed again and costs no try") {
  tune::Features line;
  for (int i = 0; i < 40; ++i)
    line.push_back({i / 39.0});
  tune::Search search(line, 0, 10);
  size_t refused = 0, proposed = 0;
  while (const auto next = search.next()) {
    REQUIRE(++proposed <= 40);
    if (*next % 2 == 0) {
      search.give_up(*next);
      ++refused;
    } else {
      search.tell(*next, 5 + std::sin(static_cast<double>(*next)));
    }
  }
  CHECK(refused > 0);
  CHECK(search.tries().size() == 10);
  for (const tune::Try& one : search.tries())
    CHECK(one.candidate % 2 == 1);
}

TEST_CASE("where the file's own values are not among the candidates the search begins in their middle") {
  const tune::Features line = {{0.0}, {0.5}, {1.0}};
  const tune::Search search(line, line.size());
  CHECK(search.next() == 1);
}

TEST_CASE("equal scores and a single candidate are handled") {
  for (const size_t count : {size_t{1}, size_t{20}}) {
    tune::Features line;
    for (size_t i = 0; i < count; ++i)
      line.push_back({static_cast<double>(i)});
    const auto tries = tune::replay(line, 0, std::vector<double>(count, 50.0));
    CHECK(tries.size() == std::min<size_t>(count, 16));
  }
  CHECK(tune::replay({}, 0, {}).empty());
}

TEST_CASE("the model is certain at measured points and uncertain far away") {
  const tune::Features line = {{0.0}, {0.05}, {3.0}};
  const std::vector<size_t> measured = {0, 1};
  const tune::Surrogate surrogate(line, measured, {1.0, 2.0});
  CHECK(surrogate.at(0).deviation < surrogate.at(2).deviation / 3);
  CHECK(surrogate.at(2).mean == Approx(1.5).margin(0.3));
  CHECK(tune::expected_improvement({1, 0}, 2) == 0);
  CHECK(tune::expected_improvement({3, 0}, 2) == Approx(1));
  CHECK(tune::expected_improvement({2, 1}, 2) == Approx(0.39894).epsilon(1e-4));
}
