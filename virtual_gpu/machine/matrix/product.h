// A warp's wgmma as reported to observers: its number, and the shared memory that it reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "virtual_gpu/machine/matrix/descriptor.h"

namespace ridge::machine {

// The core matrices of A (all 64 rows) or B. cores: 0 when A is in registers.
struct ProductOperand {
  uint64_t descriptor = 0;
  uint32_t cores = 0;  // along m or n; there are two along k
  bool mn_major = false;

  struct Extent {
    uint64_t begin = 0, end = 0;
  };
  // The range that contains all its bytes, and possibly other bytes.
  Extent extent() const {
    const SharedMatrix matrix = shared_matrix(descriptor);
    const uint32_t across = matrix.span / 16, last = cores - 1;
    uint64_t highest = uint64_t{matrix.start} + 7 * matrix.span + 16;
    if (!mn_major)
      highest += uint64_t{last} * matrix.stride + (across == 1 ? matrix.leading : 16);
    else if (across == 1)
      highest += uint64_t{last} * matrix.stride + matrix.leading;
    else
      highest += std::min(last, across - 1) * 16 + uint64_t{last / across} * matrix.leading + matrix.stride;
    // The swizzle permutes a row's bytes within its span.
    return {matrix.start / matrix.span * matrix.span,
            (highest + matrix.span - 1) / matrix.span * matrix.span};
  }
  // A byte in [begin, end) that it reads.
  std::optional<uint64_t> byte_in(uint64_t begin, uint64_t end) const {
    const SharedMatrix matrix = shared_matrix(descriptor);
    for (uint32_t i = 0; i < cores * 16; ++i) {
      const uint64_t row = matrix.row_address(i / 16, i / 8 % 2, i % 8, mn_major);
      if (row < end && row + 16 > begin) return std::max(row, begin);
    }
    return std::nullopt;
  }
};

struct Product {
  uint64_t block = 0;
  uint32_t warp = 0, instruction = 0;
  uint64_t ordinal = 0;  // among the warp's wgmma, from 1; equal in all warps of a warpgroup
  std::array<ProductOperand, 2> operands;
};

}  // namespace ridge::machine
