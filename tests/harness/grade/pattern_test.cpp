// The sentence and the map that a wrong output gets.
#include <cmath>
#include <functional>
#include <limits>

#include "harness/grade/correctness.h"
#include "harness/grade/error_map.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::problems;

namespace {

const float kUntouched = std::bit_cast<float>(kPoison);

// The right output of the problem, as floats, after `spoil` had a go at element i of n.
struct Spoiled {
  Case given;
  Expected expected;
  std::vector<float> got;

  Spoiled(const char* problem, Sizes sizes, const std::function<float(const Expected&, size_t)>& spoil)
      : given(make_case(find_problem(problem), sizes, Draw::uniform, 3)),
        expected(given.problem->reference(given).front()) {
    for (size_t i = 0; i < expected.value.size(); ++i)
      got.push_back(spoil(expected, i));
  }
  grade::Output output() const {
    return {given.buffers[expected.buffer],
            expected,
            {reinterpret_cast<const std::byte*>(got.data()), got.size() * 4}};
  }
};

float right(const Expected& e, size_t i) {
  return static_cast<float>(e.value[i]);
}

}  // namespace

TEST_CASE("each mistake is recognised by where and how it is wrong") {
  struct Row {
    const char* problem;
    Sizes sizes;
    std::function<float(const Expected&, size_t)> spoil;
    const char* sentence;
  };
  const Row rows[] = {
      {"vector_add", {1000}, [](auto&, size_t) { return kUntouched; }, "nothing was written there"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i < 768 ? right(e, i) : kUntouched; },
       "Only the last 232 of 1000 elements were never written, from c[768] on. 768 is a multiple of 256"},
      {"vector_add",
       {100},
       [](auto& e, size_t i) { return i < 99 ? right(e, i) : 5.0f; },
       "Only the last of 100 elements is wrong"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i % 4 == 0 ? right(e, i) : kUntouched; },
       "Only one element in 4, from c[0] on, is right"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i % 32 == 31 ? 9.0f : right(e, i); },
       "One element in 32, from c[31] on, is wrong"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i >= 256 && i < 512 ? 9.0f : right(e, i); },
       "Only the elements from c[256] to c[511] are wrong"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return right(e, std::min<size_t>(i + 1, 999)); },
       "off by 1"},
      {"vector_add", {1000}, [](auto& e, size_t i) { return 2 * right(e, i); }, "2 times the right answer"},
      {"vector_add", {1000}, [](auto&, size_t) { return 0.0f; }, "Every element is 0."},
      {"vector_add",
       {1000},
       [](auto&, size_t) { return std::numeric_limits<float>::quiet_NaN(); },
       "Every element is NaN"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return right(e, i) * (1 + 0.0003f * std::sin(static_cast<float>(i))); },
       "not as near as their type can be"},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k % 40 < 8 && k / 40 < 8 ? right(e, k) : kUntouched; },
       "Only the first 8 of 60 rows and the first 8 of 40 columns are right."},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k < 40 ? right(e, k) : 3.0f; },
       "The first 40 elements are right, and all from out[1][0] on are wrong."},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k % 40 < 32 && k / 40 < 32 ? right(e, k) : kUntouched; },
       "the last 28 of 60 rows and the last 8 of 40 columns were never written"},
      {"transpose",
       {64, 64},
       [](auto& e, size_t k) { return right(e, k % 64 * 64 + k / 64); },
       "Rows and columns are exchanged"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i * 7919 % 13 == 5 || i == 77 ? 4.0f : right(e, i); },
       "78 of 1000 elements are wrong; the map below"},
  };
  for (const Row& row : rows) {
    Spoiled spoiled(row.problem, row.sizes, row.spoil);
    grade::Pattern pattern = grade::explain(spoiled.output());
    INFO(pattern.sentence << " / wanted: " << row.sentence);
    CHECK(pattern.sentence.find(row.sentence) != std::string::npos);
    CHECK_FALSE(pattern.next.empty());
  }
}

TEST_CASE("an untransposed copy of a rectangular matrix is told as rows and columns exchanged") {
  Spoiled copied("transpose", {40, 60}, right);
  auto in = copied.given.input<float>(0);
  copied.got.assign(in.begin(), in.end());
  CHECK(grade::explain(copied.output()).sentence.find("Rows and columns are exchanged") != std::string::npos);
}

TEST_CASE("an array that is read and written is recognised when nobody wrote it, and where") {
  Spoiled spoiled("saxpy", {300}, right);
  auto before = spoiled.given.input<float>(1);
  auto explained = [&](size_t from) {
    spoiled.got.assign(spoiled.expected.value.begin(), spoiled.expected.value.end());
    std::copy(before.begin() + static_cast<long>(from), before.end(),
              spoiled.got.begin() + static_cast<long>(from));
    grade::Output output(spoiled.given.buffers[1], spoiled.expected,
                         {reinterpret_cast<const std::byte*>(spoiled.got.data()), 1200},
                         spoiled.given.initial[1]);
    return grade::explain(output).sentence + grade::first_mismatches(output);
  };
  CHECK(explained(0).find("y still holds the values it had before: nothing was written there.") == 0);
  CHECK(explained(256).find("Only the last 44 of 300 elements were never written, from y[256] on.") == 0);
  CHECK(explained(256).find("still has its first value") != std::string::npos);
}

TEST_CASE("the map shows rows and columns, the first mismatches their places") {
  Spoiled spoiled("transpose", {40, 60},
                  [](auto& e, size_t k) { return k / 40 >= 30 ? kUntouched : right(e, k); });
  std::string map = grade::error_map(spoiled.output());
  std::string dots(40, '.'), questions(40, '?');
  std::string wanted =
      "map of out, 60 rows by 40 columns (. right, + some wrong, # wrong, ? never written):\n";
  for (int line = 0; line < 8; ++line)
    wanted += "  " + (line < 4 ? dots : questions) + "\n";
  CHECK(map == wanted);
  std::string first = grade::first_mismatches(spoiled.output());
  CHECK(first.find("  out[30][0]  expected ") == 0);
  CHECK(first.find("was never written") != std::string::npos);
  CHECK(std::count(first.begin(), first.end(), '\n') == 6);
  CHECK(first.find("and 1195 more") != std::string::npos);
}

TEST_CASE("a vector's map is folded and ends where the vector ends") {
  Spoiled spoiled("vector_add", {1030}, [](auto& e, size_t i) { return i == 0 ? 7.0f : right(e, i); });
  std::string map = grade::error_map(spoiled.output());
  CHECK(map.find("3 elements a character") != std::string::npos);
  CHECK(map.find("\n  +...") != std::string::npos);
  CHECK(std::count(map.begin(), map.end(), '\n') == 7);
  CHECK(std::count(map.begin() + static_cast<long>(map.find('\n')), map.end(), '.') == 343);
  Spoiled tiny("vector_add", {3}, [](auto&, size_t) { return 7.0f; });
  CHECK(grade::error_map(tiny.output()).empty());
}

namespace {

// What the child would return, in memory of our own.
struct Back {
  std::vector<std::vector<std::byte>> bands, data;
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
  std::optional<grade::Fault> examined(const Case& given) {
    returned.clear();
    for (size_t i = 0; i < data.size(); ++i)
      returned.push_back({bands[2 * i], data[i], bands[2 * i + 1]});
    return grade::examine(given, returned);
  }
};

}  // namespace

TEST_CASE("writes outside an array say how far, a changed input says which and where") {
  Spoiled spoiled("vector_add", {33}, right);
  CHECK_FALSE(Back(spoiled).examined(spoiled.given));

  Back beyond(spoiled);
  std::fill(beyond.bands[5].begin() + 4, beyond.bands[5].begin() + 12, std::byte{0});
  auto fault = beyond.examined(spoiled.given);
  REQUIRE(fault);
  CHECK(fault->verdict == grade::Verdict::out_of_bounds);
  CHECK(fault->summary ==
        "The kernel writes outside an array, for n = 33: c has 33 elements, and elements 34 to 35 were "
        "written.");

  Back before(spoiled);
  before.bands[4][256 - 8] = std::byte{1};
  fault = before.examined(spoiled.given);
  REQUIRE(fault);
  CHECK(fault->summary.find("c was written up to 2 elements before its start") != std::string::npos);

  Back changed(spoiled);
  float three = 3;
  std::memcpy(changed.data[1].data() + 5 * 4, &three, 4);
  fault = changed.examined(spoiled.given);
  REQUIRE(fault);
  CHECK(fault->verdict == grade::Verdict::wrong);
  CHECK(fault->summary.find("The kernel changes its input b, for n = 33: b[5] was ") != std::string::npos);
  CHECK(fault->summary.find("is now 3.") != std::string::npos);
}
