// A wrong sum is one number: what it is made of.
#include "harness/grade/diagnosis/error_map.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::problems;

TEST_CASE("a wrong sum is explained by the part of the array that was added") {
  const Case given = make_case(find_problem("sum"), {1009}, Draw::uniform, 3);
  const Expected expected = given.problem->reference(given).front();
  const auto sum = [&](size_t end, size_t step) {
    double total = 0;
    for (size_t i = 0; i < end; i += step)
      total += load_element(given.buffers[0].type, given.initial[0].data(), static_cast<int64_t>(i));
    return total;
  };
  struct Row {
    double got;
    const char* found;
  };
  const Row rows[] = {
      {0, "wrong.sum_zero"},
      {sum(1, 1), "wrong.sum_of_first_element part=1 of=1009"},
      {sum(256, 1), "wrong.sum_of_first_part part=256 of=1009"},
      {sum(1009, 32), "wrong.sum_of_every_nth nth=32nd of=1009"},
      {2 * sum(1009, 1), "wrong.sum_twice factor=2"},
      {32 * sum(1009, 1), "wrong.sum_by_lanes factor=32"},
      {256 * sum(1009, 1), "wrong.sum_by_threads factor=256"},
      {256 * sum(1009, 1) * (1 - 2.7e-5), "wrong.sum_by_threads factor=256"},  // many rounded additions
      {256 * sum(1009, 1) * (1 - 1e-2), "wrong.sum_unexplained"},
      {6 * sum(1009, 1), "wrong.sum_times factor=6"},
      {sum(1008, 1), "wrong.sum_without_tail part=1008 of=1009 left=1 tile=16"},
      {sum(992, 1), "wrong.sum_without_tail part=992 of=1009 left=17 tile=32"},
      {sum(1009, 1) + 7.7, "wrong.sum_unexplained"},
  };
  for (const Row& row : rows) {
    INFO(row.found);
    const auto got = static_cast<float>(row.got);
    const grade::Output output(given.buffers[expected.buffer], expected, std::as_bytes(std::span(&got, 1)));
    const grade::Pattern pattern = grade::explain(output, &given);
    CHECK(pattern.finding.described() == row.found);
    CHECK_FALSE(pattern.next().empty());
  }
}
