#include "harness/problems/element.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace ridge::problems;

TEST_CASE("float16 rounds to nearest even, overflows to infinity and keeps denormals") {
  struct Row {
    double value;
    uint16_t bits;
  };
  const Row rows[] = {
      {0.0, 0x0000},         {-0.0, 0x8000},          {1.0, 0x3c00},         {-2.0, 0xc000},
      {65504, 0x7bff},       {65519.9, 0x7bff},       {65520, 0x7c00},       {1e9, 0x7c00},
      {0x1p-24, 0x0001},     {0x1p-25, 0x0000},       {0x1.8p-24, 0x0002},   {0x1p-14, 0x0400},
      {1 + 0x1p-11, 0x3c00}, {1 + 0x1.8p-10, 0x3c02}, {2 - 0x1p-11, 0x4000},
  };
  for (const Row& row : rows) {
    INFO(row.value);
    CHECK(to_float16(row.value) == row.bits);
  }
  CHECK(std::isnan(from_float16(to_float16(std::numeric_limits<double>::quiet_NaN()))));
}

TEST_CASE("every float16 and bfloat16 number survives the way to double and back") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    if (!std::isnan(from_float16(half))) REQUIRE(to_float16(from_float16(half)) == half);
    if (!std::isnan(from_bfloat16(half))) REQUIRE(to_bfloat16(from_bfloat16(half)) == half);
  }
}

TEST_CASE("bfloat16 rounds once, not twice") {
  // Just over the middle between two neighbours, by less than a float can show.
  double value = 1 + 0x1p-8 + 0x1p-40;
  CHECK(to_bfloat16(value) == 0x3f81);
  CHECK(to_bfloat16(1 + 0x1p-8) == 0x3f80);
  CHECK(to_bfloat16(-value) == 0xbf81);
}
