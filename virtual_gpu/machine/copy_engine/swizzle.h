// The shared-memory swizzles of TMA and of wgmma's descriptors: 16-byte chunks change places inside a row of
// 32, 64 or 128 bytes, by the number of the 128-byte line that they lie in.
#pragma once

#include <cstdint>

namespace ridge::machine {

// Where the byte at `address` of the plain layout lies. `span_bytes`: 16 (no swizzle), 32, 64 or 128. The
// bits are those of the absolute shared address (PTX ISA, "Tensor swizzling modes"), so a pattern repeats
// every 8 lines of 128 bytes and does not care where the tile begins.
constexpr uint32_t swizzled(uint32_t address, uint32_t span_bytes) {
  const uint32_t chunks = span_bytes / 16 - 1;
  return address ^ ((address >> 7 & chunks) << 4);
}

}  // namespace ridge::machine
