// Compares an output with the reference, element by element.
#pragma once

#include <array>

#include "harness/problems/inputs.h"

namespace ridge::problems {

// The fill pattern of outputs before a call: a quiet NaN as float32, and two of them as float16 or
// bfloat16. Not only 0xff, which uninitialised memory may contain by chance.
inline constexpr std::array<unsigned char, 4> kPoison = {0xf3, 0xff, 0xf7, 0xff};
inline std::byte poison_at(size_t byte_offset) {
  return std::byte{kPoison[byte_offset % kPoison.size()]};
}

enum class State : unsigned char { right, wrong, untouched };

struct Comparison {
  size_t buffer = 0;
  int64_t wrong = 0;      // including untouched elements
  int64_t untouched = 0;  // still have the fill pattern, which is not the right answer
  int64_t first_wrong = -1;
  // Error and tolerance of the element that exceeds its tolerance most (NaN excluded).
  double worst_error = 0, worst_tolerance = 0;
  bool right() const { return wrong == 0; }
};

// `got` is the buffer as the child returned it.
Comparison compare(const Buffer& buffer, const Expected& expected, std::span<const std::byte> got);
State state_of(const Buffer& buffer, const Expected& expected, std::span<const std::byte> got, int64_t index);

}  // namespace ridge::problems
