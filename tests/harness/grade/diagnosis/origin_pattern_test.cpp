// Which wrong values are recognised as values of other places, and which are not.
#include <cmath>
#include <vector>

#include "harness/grade/diagnosis/error_map.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::problems;

TEST_CASE("values that match by chance near 0 are not reported as exchanged") {
  const Case given = make_case(find_problem("vector_add"), {1009}, Draw::uniform, 3);
  const Expected expected = given.problem->reference(given).front();
  const auto right_at = [&](int64_t i) { return static_cast<float>(expected.value[static_cast<size_t>(i)]); };
  float least = right_at(0);
  for (int64_t i = 1; i < 1009; ++i)
    if (std::abs(right_at(i)) < std::abs(least)) least = right_at(i);
  std::vector<float> near, turned;
  for (int64_t i = 0; i < 1009; ++i) {
    near.push_back(least * (1 + 1e-7F * static_cast<float>(i % 7)));
    turned.push_back(right_at(i * 17 % 1009));  // the same test sees values that have
  }
  const auto found = [&](const std::vector<float>& got) {
    const grade::Output output(given.buffers[expected.buffer], expected, std::as_bytes(std::span(got)));
    return grade::explain(output, &given).finding.id;
  };
  CHECK(found(turned) == "wrong.misplaced");
  CHECK(found(near) != "wrong.misplaced");
}
