#include "harness/problems/element.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "text/half_float.h"

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
  CHECK(std::isnan(ridge::text::half_to_float(to_float16(std::numeric_limits<double>::quiet_NaN()))));
}

TEST_CASE("every float16 and bfloat16 number converts to double and back unchanged") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    if (!std::isnan(ridge::text::half_to_float(half)))
      REQUIRE(to_float16(ridge::text::half_to_float(half)) == half);
    if (!std::isnan(ridge::text::bfloat_to_float(half)))
      REQUIRE(to_bfloat16(ridge::text::bfloat_to_float(half)) == half);
  }
}

TEST_CASE("bfloat16 rounds once, not twice") {
  // Just over the middle between two neighbours, by less than a float can show.
  double value = 1 + 0x1p-8 + 0x1p-40;
  CHECK(to_bfloat16(value) == 0x3f81);
  CHECK(to_bfloat16(1 + 0x1p-8) == 0x3f80);
  CHECK(to_bfloat16(-value) == 0xbf81);
}

TEST_CASE(
    "every float8 number converts to double and back unchanged, and larger values become "
          "the largest") {
  for (int bits = 0; bits < 256; ++bits) {
    const auto eight = static_cast<uint8_t>(bits);
    INFO(bits);
    if ((bits & 0x7f) == 0x7f)
      CHECK(std::isnan(from_float8_e4m3(eight)));
    else
      CHECK(to_float8_e4m3(from_float8_e4m3(eight)) == eight);
  }
  struct Row {
    double value;
    int bits;
  };
  const Row rows[] = {
      {1, 0x38},       {-1.125, 0xb9},   {448, 0x7e},    {1e9, 0x7e},    {-1e9, 0xfe},   {0x1p-9, 0x01},
      {0x1p-10, 0x00}, {0x1.8p-9, 0x02}, {0x1p-6, 0x08}, {1.0625, 0x38}, {1.1875, 0x3a}, {1.9375, 0x40},
  };
  for (const Row& row : rows) {
    INFO(row.value);
    CHECK(to_float8_e4m3(row.value) == row.bits);
  }
}
