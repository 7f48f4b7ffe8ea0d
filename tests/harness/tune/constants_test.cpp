#include "harness/tune/constants.h"

#include <fstream>
#include <sstream>

#include "tests/catch.h"

using namespace ridge;
using tune::Constants;
using tune::evaluate;
using tune::Known;
using tune::Space;

TEST_CASE("integer expressions have the values of C++") {
  const Known known = {{"kA", 12}, {"kB", 5}};
  struct Case {
    const char* text;
    int64_t value;
  };
  for (const Case& c : {Case{"1 + 2 * 3", 7},
                        {"(1 + 2) * 3", 9},
                        {"kA / kB * kB + kA % kB", 12},
                        {"-kA / kB", -2},
                        {"kA - kB - 1", 6},
                        {"1 << 3 << 1", 16},
                        {"kA >= 12 && kB < 5", 0},
                        {"kA == 12 || kB / 0x7", 1},
                        {"!kA + ~kB", -6},
                        {"kA & 4 | 3 ^ 1", 6},
                        {"kA > kB ? kA : kB", 12},
                        {"0 ? 1 : 0 ? 2 : 3", 3},
                        {"1'024 + 0b11 + 010 + 12u + 7LL", 1054},
                        {"kA != kB == 1", 1},
                        {"- -kA", 12},
                        {"kA >> 1 < 7", 1},
                        {"true + false", 1},
                        {"4 * 3 * 8 * (128 + 4 + 256) <= 49152", 1}}) {
    INFO(c.text);
    const auto value = evaluate(c.text, known);
    REQUIRE(value);
    CHECK(*value == c.value);
  }
}

TEST_CASE("values that cannot be evaluated are unknown") {
  const Known known = {{"kA", 12}};
  for (const char* text :
       {"kC", "kA + kC", "sizeof(Tiles)", "f(kA)", "std::min(1, 2)", "kA / 0", "kA % 0", "1 +", "(1", "kA kA",
        "1 << 70", "0x7fffffffffffffff + 1", "T<3>", "a.b", "kC ? 1 : 2", "1.5", "kC && 1", "kC || 0", ""}) {
    INFO(text);
    CHECK_FALSE(evaluate(text, known));
  }
  CHECK(evaluate("kC && 0", known) == 0);
  CHECK(evaluate("1 || kC", known) == 1);
  CHECK(evaluate("kA == 12 ? 3 : kC", known) == 3);
}

TEST_CASE("constants follow from the tuned ones, and the first assertion that fails is named") {
  const std::string text =
      "constexpr int kRows = 8;  // tune: 4, 8\n"
      "constexpr int kTile = 64;  // tune: 32, 64\n"
      "constexpr int kThreads = kTile / kRows * 32, kTwice = 2 * kThreads;\n"
      "/* static_assert(false, \"a comment\"); */ // static_assert(false);\n"
      "static_assert(kThreads <= 512, \"at most 512 threads, (or fewer)\");\n"
      "static_assert(kTile %\n              16 == 0);\n"
      "static_assert(sizeof(float) == 5, \"left to nvcc\");\n"
      "template <int kTwice> struct S { static_assert(kTwice == 0, \"depends\"); };\n";
  const Space space(text);
  const Constants constants(text);
  CHECK(constants.with(space, {8, 64}).at("kThreads") == 256);
  CHECK_FALSE(constants.with(space, {8, 64}).contains("kTwice"));  // a template has one of this name
  CHECK(constants.forbidden(constants.with(space, {8, 64})).empty());
  CHECK(constants.forbidden(constants.with(space, {2, 64})) == "at most 512 threads, (or fewer)");
  CHECK(constants.forbidden(constants.with(space, {8, 24})) == "kTile % 16 == 0");
}

TEST_CASE("a constant that is declared twice is unknown, because its value depends on the place") {
  const std::string text =
      "constexpr int kA = 1;  // tune: 1, 2\nvoid f() { constexpr int kN = 3; }\n"
      "constexpr int kN = 4;\nstatic_assert(kN == 3, \"wrong one\");\n";
  const Space space(text);
  const Constants constants(text);
  CHECK(constants.forbidden(constants.with(space, {1})).empty());
}

TEST_CASE("the tuned rung's assertions leave the settings that its comments promise") {
  std::ifstream file(std::string(RIDGE_SOURCE_DIR) + "/solutions/05-gemm-float32/9-autotuned.cu");
  std::ostringstream text;
  text << file.rdbuf();
  const Space space(text.str());
  const Constants constants(space.text());
  size_t allowed = 0, expected = 0;
  for (const tune::Values& v : space.all()) {
    const auto known = constants.with(space, v);
    allowed += constants.forbidden(known).empty();
    const int64_t threads = (v[0] / v[3]) * (v[1] / v[4]);
    expected +=
        threads >= 64 && threads <= 1024 && threads % 32 == 0 && 4 * v[5] * v[2] * (v[0] + 4 + v[1]) <= 49152;
    CHECK(known.at("kThreads") == threads);
  }
  CHECK(allowed == expected);
  CHECK(allowed == 262);
}
