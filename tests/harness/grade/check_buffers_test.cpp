// What is said of where the errors are: the map, the first of them, writes outside and changed inputs.
#include <cstring>

#include "harness/grade/diagnosis/error_map.h"
#include "harness/grade/diagnosis/returned_buffers.h"
#include "tests/catch.h"
#include "tests/harness/grade/spoiled.h"

using namespace ridge;
using namespace ridge::problems;
using tests::kUntouched, tests::right, tests::Spoiled;

TEST_CASE("the map shows rows and columns, the first mismatches their places") {
  Spoiled spoiled("transpose", {40, 60},
                  [](auto& e, size_t k) { return k / 40 >= 30 ? kUntouched : right(e, k); });
  const auto map = grade::error_map(spoiled.output());
  REQUIRE(map);
  CHECK(map->array == "out");
  CHECK(map->rows == 60);
  CHECK(map->columns == 40);
  CHECK(map->elements_per_cell == 0);
  REQUIRE(map->lines.size() == 8);
  for (size_t line = 0; line < 8; ++line)
    CHECK(map->lines[line] == std::string(40, line < 4 ? '.' : '?'));
  std::string first = grade::first_mismatches(spoiled.output());
  CHECK(first.find("  out[30][0]  expected ") == 0);
  CHECK(first.find("was never written") != std::string::npos);
  CHECK(std::count(first.begin(), first.end(), '\n') == 6);
  CHECK(first.find("and 1195 more") != std::string::npos);
}

TEST_CASE("a vector's map is folded and ends at the vector's end") {
  Spoiled spoiled("vector_add", {1030}, [](auto& e, size_t i) { return i == 0 ? 7.0f : right(e, i); });
  const auto map = grade::error_map(spoiled.output());
  REQUIRE(map);
  CHECK(map->elements_per_cell == 3);
  REQUIRE(map->lines.size() == 6);
  CHECK(map->lines[0] == "+" + std::string(63, '.'));
  CHECK(map->lines[5] == std::string(24, '.'));  // 344 cells of 3 hold 1030 elements
  Spoiled tiny("vector_add", {3}, [](auto&, size_t) { return 7.0f; });
  CHECK_FALSE(grade::error_map(tiny.output()));
}

namespace {

// What the child would return, in memory of our own.
struct Back {
  std::vector<std::vector<std::byte>> bands;
  std::vector<LargeArray<std::byte>> data;
  std::vector<runner::Returned> returned;

  explicit Back(const Spoiled& spoiled) {
    const Case& given = spoiled.given;
    for (size_t i = 0; i < given.buffers.size(); ++i) {
      data.push_back(given.initial[i]);
      if (i == spoiled.expected.buffer) {
        data.back().resize(spoiled.got.size() * 4);
        std::memcpy(data.back().data(), spoiled.got.data(), data.back().size());
      }
      for (int side = 0; side < 2; ++side)
        bands.push_back(std::vector<std::byte>(256, std::byte{runner::kGuardByte}));
    }
  }
  std::optional<grade::Outcome> examined(const Case& given, const std::function<bool()>& adds_atomically = {}) {
    returned.clear();
    for (size_t i = 0; i < data.size(); ++i)
      returned.push_back({bands[2 * i], data[i], bands[2 * i + 1]});
    return grade::examine(given, returned, nullptr, adds_atomically);
  }
};

}  // namespace

TEST_CASE("a write outside an array reports the distance, a changed input the array and the place") {
  Spoiled spoiled("vector_add", {33}, right);
  CHECK_FALSE(Back(spoiled).examined(spoiled.given));

  Back beyond(spoiled);
  std::fill(beyond.bands[5].begin() + 4, beyond.bands[5].begin() + 12, std::byte{0});
  auto outcome = beyond.examined(spoiled.given);
  REQUIRE(outcome);
  CHECK(outcome->verdict == grade::Verdict::out_of_bounds);
  CHECK(outcome->summary ==
        "The kernel writes outside an array, for n = 33: c has 33 elements, and elements 34 to 35 were "
        "written.");

  Back before(spoiled);
  before.bands[4][256 - 8] = std::byte{1};
  outcome = before.examined(spoiled.given);
  REQUIRE(outcome);
  CHECK(outcome->summary.find("c was written up to 2 elements before its start") != std::string::npos);

  Back changed(spoiled);
  float three = 3;
  std::memcpy(changed.data[1].data() + 5 * 4, &three, 4);
  outcome = changed.examined(spoiled.given);
  REQUIRE(outcome);
  CHECK(outcome->verdict == grade::Verdict::wrong);
  CHECK(outcome->summary.find("The kernel changes its input b, for n = 33: b[5] was ") != std::string::npos);
  CHECK(outcome->summary.find("is now 3.") != std::string::npos);
}

TEST_CASE("an output that atomics added to without setting it to 0 is not reported as never "
          "written") {
  const Spoiled spoiled("sum", {1009}, [](auto&, size_t) { return kUntouched; });
  Back back(spoiled);
  CHECK(back.examined(spoiled.given, [] { return true; })->finding == "wrong.not_cleared");
  CHECK(back.examined(spoiled.given, [] { return false; })->finding == "wrong.nothing_written");
  CHECK(back.examined(spoiled.given)->finding == "wrong.nothing_written");
}
