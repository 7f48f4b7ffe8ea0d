// The shared-memory swizzles of TMA and of wgmma's descriptors: 16-byte chunks are permuted within
// a row of 32, 64 or 128 bytes, depending on the number of their 128-byte line.
#pragma once

#include <cstdint>

namespace ridge::machine {

// The swizzled address of the byte at `address` in the linear layout. `span_bytes`: 16 (no
// swizzle), 32, 64 or 128. The bits are those of the absolute shared address (PTX ISA, "Tensor
// swizzling modes"), so a pattern repeats every 8 lines of 128 bytes wherever the tile begins.
constexpr uint32_t swizzled(uint32_t address, uint32_t span_bytes) {
  const uint32_t chunks = span_bytes / 16 - 1;
  return address ^ ((address >> 7 & chunks) << 4);
}

}  // namespace ridge::machine
