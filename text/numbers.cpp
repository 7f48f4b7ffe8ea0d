#include "text/numbers.h"

#include <cstdio>

namespace ridge::text {

std::string with_thousands(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, 1, ',');
  return digits;
}

namespace {

// With fewer operations per byte than this, every GPU is limited by its memory (ridge point of an
// H200 in float: 14).
constexpr double kLeastOperationsPerByte = 10;

std::string with_unit(double giga, const char* giga_unit, const char* tera_unit, int tera_places) {
  char text[48];
  if (giga >= 1000)
    std::snprintf(text, sizeof text, "%.*f %s", tera_places, giga / 1000, tera_unit);
  else
    std::snprintf(text, sizeof text, "%.*f %s", giga < 10 ? 1 : 0, giga, giga_unit);
  return text;
}

}  // namespace

std::string byte_rate(double gigabytes_per_second) {
  return with_unit(gigabytes_per_second, "GB/s", "TB/s", 2);
}

std::string operation_rate(double gigaflops) {
  return with_unit(gigaflops, "GFLOP/s", "TFLOP/s", 1);
}

std::string work_rate(double gigabytes_per_second, double gigaflops) {
  return gigaflops > kLeastOperationsPerByte * gigabytes_per_second ? operation_rate(gigaflops)
                                                                    : byte_rate(gigabytes_per_second);
}

}  // namespace ridge::text
