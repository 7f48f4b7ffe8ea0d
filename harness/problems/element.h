// Element types of the course's buffers, and their exact conversion to and from double.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "text/half_float.h"

namespace ridge::problems {

enum class Type { float32, float16, bfloat16, float8_e4m3, int32, int64 };

constexpr int64_t bytes_of(Type type) {
  switch (type) {
    case Type::int64:
      return 8;
    case Type::float32:
    case Type::int32:
      return 4;
    case Type::float16:
    case Type::bfloat16:
      return 2;
    case Type::float8_e4m3:
      return 1;
  }
  return 0;
}

// Half the distance from 1 to the next number: the largest relative error of one rounding to
// nearest.
constexpr double unit_roundoff(Type type) {
  switch (type) {
    case Type::float32:
      return 0x1p-24;
    case Type::float16:
      return 0x1p-11;
    case Type::bfloat16:
      return 0x1p-8;
    case Type::float8_e4m3:
      return 0x1p-4;
    case Type::int32:
    case Type::int64:
      return 0;
  }
  return 0;
}

// The smallest normal number: a kernel may flush smaller ones to zero.
constexpr double smallest_normal(Type type) {
  return type == Type::float16 ? 0x1p-14 : type == Type::float8_e4m3 ? 0x1p-6 : 0x1p-126;
}

double from_float8_e4m3(uint8_t bits);
// Round to nearest, ties to even; overflow gives infinity.
uint16_t to_float16(double value);
uint16_t to_bfloat16(double value);
// The same rounding, but e4m3 has no infinity: larger values become its largest number, 448, as
// with the GPU's cvt.satfinite.
uint8_t to_float8_e4m3(double value);

inline double load_element(Type type, const void* data, int64_t index) {
  const auto* bytes = static_cast<const unsigned char*>(data) + index * bytes_of(type);
  if (type == Type::float32) {
    float value;
    std::memcpy(&value, bytes, 4);
    return value;
  }
  if (type == Type::int32) {
    int32_t value;
    std::memcpy(&value, bytes, 4);
    return value;
  }
  if (type == Type::int64) {
    int64_t value;
    std::memcpy(&value, bytes, 8);
    return static_cast<double>(value);  // exact up to 2^53; indices are far smaller
  }
  if (type == Type::float8_e4m3) return from_float8_e4m3(*bytes);
  uint16_t bits;
  std::memcpy(&bits, bytes, 2);
  return type == Type::float16 ? text::half_to_float(bits) : text::bfloat_to_float(bits);
}

inline void store_element(Type type, void* data, int64_t index, double value) {
  auto* bytes = static_cast<unsigned char*>(data) + index * bytes_of(type);
  if (type == Type::float32) {
    auto rounded = static_cast<float>(value);
    std::memcpy(bytes, &rounded, 4);
    return;
  }
  if (type == Type::int32) {
    const auto whole = static_cast<int32_t>(value);
    std::memcpy(bytes, &whole, 4);
    return;
  }
  if (type == Type::int64) {
    const auto whole = static_cast<int64_t>(value);
    std::memcpy(bytes, &whole, 8);
    return;
  }
  if (type == Type::float8_e4m3) {
    *bytes = to_float8_e4m3(value);
    return;
  }
  uint16_t bits = type == Type::float16 ? to_float16(value) : to_bfloat16(value);
  std::memcpy(bytes, &bits, 2);
}

}  // namespace ridge::problems
