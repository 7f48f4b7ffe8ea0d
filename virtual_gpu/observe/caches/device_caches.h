// L2 and DRAM of one device, and the L1 of each of its SMs while a launch is replayed.
//
// What an H200 shows (tests/hardware/counters, course/measured/nvidia-h200/counters.md) and this does:
//  - L1 keeps 32-byte sectors under tags of 128 bytes, oldest out first. Loads fill it, and so do stores,
//  which go on to
//    L2 all the same. Atomics pass it by; volatile and acquiring loads never hit.
//  - L2 is two halves, each near one half of the SMs. A sector has its home in one; read from the far side,
//  it is kept
//    there as well. So a sector that SMs of both sides read can miss twice, and L2 holds less than its size
//    says.
//  - DRAM is read 64 bytes at a time; dirty sectors are written back when L2 holds more than about 26 MB of
//  them.
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

  // `side`: 0 or 1, the SM's half.
  L2Answer read(uint64_t line, warp_model::SectorMask sectors, uint32_t side);
  void write(uint64_t line, warp_model::SectorMask sectors);
  // An atomic: read and written where it has its home.
  L2Answer update(uint64_t line, warp_model::SectorMask sectors);
  void clear();
  uint64_t dram_write_bytes() const { return dram_write_bytes_; }

 private:
  uint32_t home_of(uint64_t line) const;
  void written_back(uint32_t sectors);

  warp_model::SectorCache halves_[2];
  uint64_t dirty_limit_, dirty_ = 0;  // sectors
  uint64_t cleaned_ = 0;              // of those marked dirty, already written back
  uint64_t dram_write_bytes_ = 0;
};

}  // namespace ridge::observe
