// wgmma's descriptors: the positions of an operand's core matrices in shared memory.
//
// K-major: a core matrix has 8 rows (of A, or columns of B) and 16 bytes along k. Without a swizzle
// its rows are consecutive, the next matrix along k is `leading` bytes farther, the next 8 rows
// `stride` bytes. With a swizzle of S = 32, 64 or 128 bytes, rows are S bytes apart, the next
// matrix along k is 16 bytes farther, the next 8 rows `stride`.
//
// MN-major (16-bit types): a core matrix is 8 values of k (its rows) by 16 bytes along m or n.
// Without a swizzle the next matrix along m or n is `stride` bytes farther, the next along k
// `leading`. With a swizzle, rows are S bytes apart, S / 16 core matrices are adjacent along m or
// n, the next such group is `leading` bytes farther, the next along k `stride`.
//
// The swizzle permutes 16-byte chunks by bits of the address itself, so patterns repeat every 8 * S
// bytes of shared memory.
#pragma once

#include <cstdint>

namespace ridge::machine {

struct SharedMatrix {
  uint32_t start = 0, leading = 0, stride = 0, base_offset = 0;
  uint32_t span = 16;  // span of the swizzle in bytes; 16: none

  // The address of a 16-byte row of the core matrix at index `along` in m or n and `depth` in k.
  uint32_t row_address(uint32_t along, uint32_t depth, uint32_t row, bool mn_major) const {
    const bool plain = span == 16;
    uint32_t offset = row * span;
    if (!mn_major)
      offset += along * stride + depth * (plain ? leading : 16);
    else if (plain)
      offset += along * stride + depth * leading;
    else
      offset += along % (span / 16) * 16 + along / (span / 16) * leading + depth * stride;
    // Relative to the beginning of the pattern, if that is not at a multiple of its size.
    const uint32_t address = start + offset, phase = (address >> 7) - base_offset;
    return address ^ (phase & (span / 16 - 1)) << 4;
  }
};

constexpr SharedMatrix shared_matrix(uint64_t descriptor) {
  const auto bytes = [&](int bit) { return static_cast<uint32_t>(descriptor >> bit & 0x3fff) << 4; };
  constexpr uint32_t kSpans[] = {16, 128, 64, 32};
  return {bytes(0), bytes(16), bytes(32), static_cast<uint32_t>(descriptor >> 49 & 7),
          kSpans[descriptor >> 62]};
}

}  // namespace ridge::machine
