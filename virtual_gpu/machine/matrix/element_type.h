// The element types of matrix instructions.
#pragma once

#include <cstdint>

namespace ridge::machine {

enum class ElementType : uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, u8, s4, u4, b1, f64 };
enum class AccumulatorType : uint8_t { f16, f32, s32, f64 };

constexpr uint32_t element_bits(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16:
      return 16;
    case ElementType::tf32:
      return 32;
    case ElementType::s4:
    case ElementType::u4:
      return 4;
    case ElementType::b1:
      return 1;
    case ElementType::f64:
      return 64;
    default:
      return 8;
  }
}
// Elements per row of a core matrix; for f64 a core matrix is 8 x 4, as for tf32.
constexpr uint32_t core_elements(ElementType type) {
  return type == ElementType::f64 ? 4 : 128 / element_bits(type);
}

}  // namespace ridge::machine
