#include <algorithm>
#include <set>

#include "harness/grade/case_plan.h"
#include "harness/grade/engine_choice.h"
#include "harness/grade/gates/counted.h"
#include "harness/grade/scratch_folder.h"
#include "harness/grade/timed.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"

using namespace ridge;
using namespace ridge::grade;

TEST_CASE("a rung on several devices uses as many GPUs as it is for, or none") {
  CHECK(devices_on(0, {2, 4}) == 0);
  CHECK(devices_on(1, {2, 4}) == 0);
  CHECK(devices_on(2, {2, 4}) == 2);
  CHECK(devices_on(3, {2, 4}) == 2);
  CHECK(devices_on(8, {2, 4}) == 4);
}

namespace {

int64_t product_of(const problems::Sizes& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes)
    product *= std::max<int64_t>(size, 1);
  return product;
}

// Two sizes that are no edge sizes of the problem, the smaller one first.
std::vector<problems::Sizes> two_public_sizes(const problems::Problem& problem) {
  problems::Random random(77);
  std::vector<problems::Sizes> found;
  while (found.size() < 2) {
    const problems::Sizes sizes = hidden_sizes(problem, random);
    const auto& edges = problem.edge_sizes;
    const bool is_edge = std::find(edges.begin(), edges.end(), sizes) != edges.end();
    if (is_edge) continue;
    if (found.empty() || product_of(found[0]) != product_of(sizes)) found.push_back(sizes);
  }
  if (product_of(found[0]) > product_of(found[1])) std::swap(found[0], found[1]);
  return found;
}

}  // namespace

TEST_CASE(
    "the plan has every edge size, hidden ones from the seed, and public ones that are "
          "not too large") {
  for (std::string_view id : problems::problem_ids()) {
    const problems::Problem& problem = problems::find_problem(id);
    INFO(id);
    course::Rung rung;
    rung.sizes = two_public_sizes(problem);
    const int64_t most = product_of(rung.sizes[0]);
    auto plan = plan_cases(rung, problem, 1, most), again = plan_cases(rung, problem, 1, most),
         other = plan_cases(rung, problem, 2, most);
    auto sizes_of = [](const std::vector<PlannedCase>& cases) {
      std::set<problems::Sizes> sizes;
      for (const PlannedCase& one : cases)
        sizes.insert(one.sizes);
      return sizes;
    };
    auto sizes = sizes_of(plan);
    std::set<std::pair<problems::Sizes, problems::Draw>> cases;
    for (const PlannedCase& one : plan)
      if (!one.again) CHECK(cases.insert({one.sizes, one.draw}).second);
    CHECK(std::count_if(plan.begin(), plan.end(), [](const PlannedCase& one) { return one.again; }) == 1);
    for (size_t i = 1; i < plan.size(); ++i)
      if (plan[i].again) CHECK(plan[i].sizes == plan[i - 1].sizes);
    for (const problems::Sizes& edge : problem.edge_sizes)
      CHECK(sizes.contains(edge));
    CHECK(sizes.contains(rung.sizes[0]));
    CHECK_FALSE(sizes.contains(rung.sizes[1]));
    CHECK(sizes_of(again) == sizes);
    CHECK(sizes_of(other) != sizes);
    CHECK(std::count_if(plan.begin(), plan.end(), [](const PlannedCase& one) { return one.hidden; }) >= 1);
    for (const PlannedCase& one : plan)
      if (one.hidden) CHECK(one.sizes != rung.sizes[0]);
    for (const PlannedCase& one : plan) {
      for (size_t at = 0; at < problem.hidden_step.size(); ++at)
        CHECK(one.sizes[at] % problem.hidden_step[at] == 0);
    }
    CHECK(plan.size() >= problem.edge_sizes.size() + 2);
    std::set<problems::Draw> draws;
    std::set<uint64_t> seeds;
    for (const PlannedCase& one : plan) {
      draws.insert(one.draw);
      seeds.insert(one.seed);
    }
    CHECK(draws.size() == problems::kDraws);
    // Every kind of inputs also at the largest edge size, not only at the size whose turn it is.
    const auto largest = std::max_element(
        problem.edge_sizes.begin(), problem.edge_sizes.end(),
        [](const auto& a, const auto& b) { return product_of(a) < product_of(b); });
    for (int draw = 1; draw < problems::kDraws; ++draw)
      CHECK(cases.contains({*largest, static_cast<problems::Draw>(draw)}));
    CHECK(seeds.size() == plan.size());
  }
}

TEST_CASE("a random number of hidden cases surrounds the counted calls") {
  const problems::Problem& problem = problems::find_problem("gemm_bf16");
  std::set<size_t> numbers;
  std::set<problems::Sizes> sizes;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    problems::Random random(seed), same(seed);
    const std::vector<PlannedCase> cases = cases_between(problem, random);
    numbers.insert(cases.size());
    CHECK(cases_between(problem, same).size() == cases.size());
    for (const PlannedCase& one : cases) {
      CHECK(one.hidden);
      CHECK(problems::complaint_about(problem, one.sizes).empty());
      for (size_t at = 0; at < one.sizes.size(); ++at) {
        CHECK(one.sizes[at] >= 1);
        CHECK(one.sizes[at] % problem.hidden_step[at] == 0);
      }
      sizes.insert(one.sizes);
    }
  }
  CHECK(numbers == std::set<size_t>{0, 1, 2, 3});
  CHECK(sizes.size() > 30);
}

TEST_CASE("a failed gate is SLOW with value, limit, reason and the worst line") {
  trace::LaunchReport launch;
  launch.range = 1;
  launch.grid = {64, 1, 1};
  trace::InstructionCounts load, store;
  load.file = store.file = "/somewhere/1-unit-stride.cu";
  load.space = store.space = "global";
  load.kind = "load";
  store.kind = "store";
  load.line = 11;
  store.line = 12;
  load.requests = store.requests = 100;
  load.sectors = 3200;
  store.sectors = load.ideal_sectors = store.ideal_sectors = 400;
  launch.instructions = {load, store};
  std::vector<trace::LaunchReport> launches = {launch};
  std::vector<course::Gate> gates(2);
  gates[0].count = "store_sectors_per_request";
  gates[0].at_most = 4.5;
  gates[1].count = "sectors_per_request";
  gates[1].at_most = 4.5;
  gates[1].why = "Let neighbouring lanes read neighbouring elements.";
  auto results = evaluate_gates(gates, launches);
  REQUIRE(results.size() == 2);
  CHECK(results[0].passed);
  CHECK(results[1].value == 18);
  auto outcome = outcome_of_gates(results, launches);
  REQUIRE(outcome);
  CHECK(outcome->verdict == Verdict::slow);
  CHECK(outcome->summary == "The answers are right, but sectors_per_request is 18, and at most 4.5 is wanted.");
  CHECK(outcome->next == gates[1].why);
  CHECK(outcome->detail.find("100 warp accesses (global load) touch 3,200 sectors of 32 bytes where 400 would "
                           "do, 8.0 times as many") != std::string::npos);
  gates[1].at_most = 18;
  CHECK_FALSE(outcome_of_gates(evaluate_gates(gates, launches), launches));
  gates[1].at_most.reset();
  gates[1].at_least = 18.5;
  CHECK(outcome_of_gates(evaluate_gates(gates, launches), launches));
}

TEST_CASE("a gate on a count of the machine code is skipped where clang compiled") {
  trace::LaunchReport launch;
  launch.warp_instructions = 100;
  std::vector<course::Gate> gates(2);
  gates[0].count = "registers";
  gates[0].at_least = 1;
  gates[1].count = "warp_instructions";
  gates[1].at_most = 200;
  std::vector<trace::LaunchReport> launches = {launch};
  auto results = evaluate_gates(gates, launches);
  CHECK(results[0].passed);
  CHECK(results[0].skipped.find("clang compiled") != std::string::npos);
  CHECK(results[1].skipped.empty());
  CHECK_FALSE(outcome_of_gates(results, launches));
  launches[0].registers_per_thread = 32;
  results = evaluate_gates(gates, launches);
  CHECK(results[0].skipped.empty());
  CHECK(results[0].value == 32);
}

TEST_CASE("a time becomes SLOW, PASS, GOLD or, below the lower bound, SUSPECT") {
  TimedGrade timed;
  timed.measured.time_ms = 0.2;
  timed.measured.rounds = 9;
  timed.floor_ms = 0.15;
  const std::pair<double, Verdict> rows[] = {{69.9, Verdict::slow},
                                             {70, Verdict::pass},
                                             {81.9, Verdict::pass},
                                             {82, Verdict::gold},
                                             {101, Verdict::gold}};
  for (auto [percent, verdict] : rows) {
    timed.measured.percent = percent;
    INFO(percent);
    CHECK(judge(timed, {70, 82}).verdict == verdict);
  }
  timed.measured.second = SecondMeasured{"unfused kernels", 0.5, 2.7, 2.6, 2.75, 2.8};
  CHECK(judge(timed, {70, 82}).finding == "slow.second_baseline");
  timed.measured.second->times = 2.8;
  CHECK(judge(timed, {70, 82}).verdict == Verdict::gold);
  timed.measured.percent = 60;
  CHECK(judge(timed, {70, 82}).finding == "slow.measured");
  timed.measured.time_ms = 0.14;
  CHECK(judge(timed, {70, 82}).verdict == Verdict::suspect);
  timed.outcome = Outcome{Verdict::wrong, "x", "y", ""};
  CHECK(judge(timed, {70, 82}).verdict == Verdict::wrong);
}

TEST_CASE("scratch folders of killed gradings are removed, those of running gradings are kept") {
  const tests::ScratchFolder clone;
  const grade::ScratchFolder under_way(clone.path);
  const auto left = clone.path / "grading-left", young = clone.path / "grading-young";
  for (const auto& folder : {left, young})
    std::filesystem::create_directories(folder);
  std::ofstream(left / "file") << "x";
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& folder : {left, under_way.path()})
    std::filesystem::last_write_time(folder, old);
  const grade::ScratchFolder next(clone.path);
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK(std::filesystem::exists(young));
  CHECK(std::filesystem::exists(under_way.path()));
  CHECK(std::filesystem::exists(next.path()));
}
