// The limits that every rung has without an entry in its lab.toml.
#include "harness/grade/gates/implied_gates.h"

#include "harness/grade/gates/counted.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::grade;

namespace {

// One launch of 100 blocks, of which one has executed so many of 1000 instructions.
std::optional<Outcome> judged(uint64_t busiest, double limit, bool at_public_size = true) {
  course::Rung rung;
  rung.busiest_block = limit;
  trace::LaunchReport launch;
  launch.grid = {100, 1, 1};
  launch.block = {256, 1, 1};
  launch.warp_instructions = 1000;
  launch.busiest_block_instructions = busiest;
  const auto gates = implied_gates(rung, problems::find_problem("vector_add"), at_public_size);
  return outcome_of_gates(evaluate_gates(gates, {&launch, 1}), {&launch, 1});
}

}  // namespace

TEST_CASE("a block with most of the work is SLOW, however many blocks the grid has") {
  CHECK(judged(1000, 0.3)->verdict == Verdict::slow);
  CHECK(judged(310, 0.3)->verdict == Verdict::slow);
  CHECK_FALSE(judged(290, 0.3));
  CHECK_FALSE(judged(10, 0.05));
  CHECK(judged(60, 0.05)->verdict == Verdict::slow);
  CHECK_FALSE(judged(1000, 1));
  CHECK_FALSE(judged(1000, 0.3, false));  // a hidden size may have one block
}

TEST_CASE("a function that times launches of less work than others is SLOW") {
  const auto gates = implied_gates(course::Rung(), problems::find_problem("host_time"), false);
  REQUIRE(gates.size() == 1);
  trace::LaunchReport whole, less;
  whole.warp_instructions = 1000;
  less.warp_instructions = 800;
  const trace::LaunchReport even[] = {whole, whole}, uneven[] = {whole, less, whole};
  CHECK_FALSE(outcome_of_gates(evaluate_gates(gates, even), even));
  CHECK(outcome_of_gates(evaluate_gates(gates, uneven), uneven)->verdict == Verdict::slow);
}

TEST_CASE("a function of several devices that makes the host wait is SLOW") {
  const course::Rung rung;
  const auto gates = implied_gates(rung, problems::find_problem("peer_copy"), false);
  REQUIRE(gates.size() == 1);
  trace::LaunchReport launch;
  measure::Work work;
  CHECK_FALSE(outcome_of_gates(evaluate_gates(gates, {&launch, 1}, work), {&launch, 1}));
  work.synchronizations = 4;
  const auto outcome = outcome_of_gates(evaluate_gates(gates, {&launch, 1}, work), {&launch, 1});
  REQUIRE(outcome);
  CHECK(outcome->verdict == Verdict::slow);
}
