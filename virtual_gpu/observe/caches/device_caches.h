// L2 and DRAM of one device, and the L1 of each of its SMs during a replay.
//
// Behaviour of an H200 (tests/hardware/counters, course/measured/nvidia-h200/counters.md) that this
// model reproduces:
//  - L1 has 32-byte sectors under tags of 128 bytes and evicts the oldest line. Loads fill it, and so
//    do stores, which are also written through to L2. Atomics bypass it; volatile and acquiring loads
//    never hit.
//  - L2 consists of two halves, each near one half of the SMs. A sector's home is one of them; when it
//    is read from the other side, it is cached there too. A sector that SMs of both sides read can
//    therefore miss twice, and L2 holds less than its nominal size.
//  - DRAM is read 64 bytes at a time; dirty sectors are written back when L2 holds more than about
//    26 MB of them.
#pragma once

#include <cstdint>
#include <vector>

#include "warp_model/cache.h"
#include "warp_model/device.h"

namespace ridge::observe {

struct L2Answer {
  uint32_t hits = 0;        // sectors
  uint32_t dram_bytes = 0;  // read
};

class L2Cache {
 public:
  explicit L2Cache(uint64_t bytes);

  // `side`: 0 or 1, the half of the SM.
  L2Answer read(uint64_t line, warp_model::SectorMask sectors, uint32_t side);
  void write(uint64_t line, warp_model::SectorMask sectors);
  // An atomic: reads and writes the sector in its home.
  L2Answer update(uint64_t line, warp_model::SectorMask sectors);
  void clear();
  uint64_t dram_write_bytes() const { return dram_write_bytes_; }

 private:
  uint32_t home_of(uint64_t line) const;
  void written_back(uint32_t sectors);

  warp_model::SectorCache halves_[2];
  uint64_t dirty_limit_, dirty_ = 0;  // sectors
  uint64_t cleaned_ = 0;              // sectors marked dirty that are already written back
  uint64_t dram_write_bytes_ = 0;
};

}  // namespace ridge::observe
