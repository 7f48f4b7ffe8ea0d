// The mbarrier object: 8 bytes of shared memory with its complete state, so that it can be at any
// address and be overwritten.
//
// For engines whose bytes an mbarrier counts (bulk copies): when the bytes of a copy have been
// written to the shared memory of `place.block`, call Mbarriers::complete_transaction({&block,
// offset}, bytes, who); a fault names `who`. Copies in flight are completed by
// PendingDeliveries::land, which every test_wait and try_wait calls first with its object.
#pragma once

#include <cstdint>

namespace ridge::machine {

struct Block;

struct MbarrierPlace {
  Block* block = nullptr;  // the owner of the shared memory
  uint32_t offset = 0;
};

// Bits of the object: 0..19 pending arrivals of the phase, 20..39 arrivals per phase, 40..60
// pending bytes (two's complement: they may complete before they are expected), 61 the parity of
// the phase, 62..63 = 1: a valid object. Uninitialised memory (all ones) and zeros are not valid
// objects.
struct Mbarrier {
  static constexpr uint32_t kMaxCount =
      (1u << 20) - 1;  // of arrivals, and of bytes in either direction

  uint32_t pending = 0;
  uint32_t expected = 0;
  int32_t bytes = 0;
  bool parity = false;

  static constexpr bool is_live(uint64_t bits) { return bits >> 62 == 1; }
  static constexpr uint64_t kInvalidated = uint64_t{2} << 62;

  static constexpr Mbarrier from_bits(uint64_t bits) {
    Mbarrier m;
    m.pending = static_cast<uint32_t>(bits & kMaxCount);
    m.expected = static_cast<uint32_t>(bits >> 20 & kMaxCount);
    m.bytes = static_cast<int32_t>(static_cast<int64_t>(bits << 3) >> 43);
    m.parity = (bits >> 61 & 1) != 0;
    return m;
  }
  constexpr uint64_t to_bits() const {
    return uint64_t{pending} | uint64_t{expected} << 20 |
           (static_cast<uint64_t>(static_cast<int64_t>(bytes)) & 0x1fffff) << 40 |
           uint64_t{parity} << 61 | uint64_t{1} << 62;
  }
};

}  // namespace ridge::machine
