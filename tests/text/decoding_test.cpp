#include <cmath>
#include <utility>

#include "tests/catch.h"
#include "text/demangled.h"
#include "text/half_float.h"

using namespace ridge;

TEST_CASE("a mangled name is written as in the source, and no other name is changed") {
  const std::pair<const char*, const char*> cases[] = {{"_Z3addPf", "add(float*)"},
                                                       {"d", "d"},  // a mangling of the type double
                                                       {"f", "f"},  // and of float
                                                       {"_Z-", "_Z-"},
                                                       {"add", "add"},
                                                       {"__nv_static_28__b59187e6_7_stat_cu_a1c6cb59__Z6hiddenPi",
                                                        "hidden(int*)"},
                                                       {"__nv_static_28__b59187e6", "__nv_static_28__b59187e6"},
                                                       {"", ""}};
  for (const auto& [name, written] : cases)
    CHECK(text::demangled(name) == written);
}

TEST_CASE("float16 is decoded: normal and subnormal numbers, infinity and NaN") {
  const std::pair<uint16_t, float> cases[] = {{0x0000, 0.0f},     {0x3c00, 1.0f},     {0xc000, -2.0f},
                                              {0x7bff, 65504.0f}, {0x0001, 0x1p-24f}, {0x83ff, -0x1.ff8p-15f},
                                              {0x0400, 0x1p-14f}, {0x7c00, INFINITY}, {0xfc00, -INFINITY}};
  for (const auto& [bits, value] : cases) {
    INFO(bits);
    CHECK(text::half_to_float(bits) == value);
  }
  CHECK(std::signbit(text::half_to_float(0x8000)));
  CHECK(std::isnan(text::half_to_float(0x7e00)));
}

TEST_CASE("bfloat16 is the upper half of a float") {
  CHECK(text::bfloat_to_float(0x3f80) == 1.0f);
  CHECK(text::bfloat_to_float(0xc040) == -3.0f);
  CHECK(text::bfloat_to_float(0x0001) == 0x1p-133f);
  CHECK(std::isnan(text::bfloat_to_float(0x7fc0)));
}
