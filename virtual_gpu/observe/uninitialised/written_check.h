// Determines which bytes of global and local memory are initialised when a kernel accesses them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/uninitialised/undefined_lanes.h"

namespace ridge::observe {

// The cache of one host thread for DeviceMemory::written(): most instructions access one fully
// initialised array, which is looked up once.
class GlobalWritten {
 public:
  GlobalWritten(machine::DeviceMemory& memory, size_t instructions) : memory_(memory), known_(instructions) {}
  void load(const machine::Access& access, UndefinedLanes& undefined);
  void store(const machine::Access& access, const UndefinedLanes& undefined);
  static void bounds(const machine::Access& access, uint64_t& lowest, uint64_t& end) {
    if (access.shape == machine::AccessShape::scattered) return scattered_bounds(access, lowest, end);
    const bool full = access.mask == ~0u;
    const auto first = full ? 0 : static_cast<uint64_t>(std::countr_zero(access.mask));
    const auto last = full ? 31 : static_cast<uint64_t>(31 - std::countl_zero(access.mask));
    const auto stride = static_cast<uint64_t>(access.stride);
    const uint64_t a = access.base + stride * first, b = access.base + stride * last;
    lowest = a < b ? a : b;
    end = (a < b ? b : a) + access.bytes;
  }
  // A range whose bytes are all known to be initialised, from the instruction's loads.
  machine::DeviceMemory::Range all_written(uint32_t instruction) const {
    return {known_[instruction].begin, known_[instruction].end};
  }

 private:
  struct Known {
    uint64_t begin = 0, end = 0;          // every byte in it is initialised
    // Each lookup walks over the array, so the interval between lookups grows.
    uint32_t misses = 0, look_after = 4;
  };
  static void scattered_bounds(const machine::Access& access, uint64_t& lowest, uint64_t& end);
  void learn(Known& known, uint64_t address);

  machine::DeviceMemory& memory_;
  std::vector<Known> known_;  // by instruction
};

// The local memory of a block's threads: for each byte of a warp, the lanes that wrote it.
class LocalWritten {
 public:
  void begin(uint32_t warps);
  void access(const machine::Access& access, UndefinedLanes& undefined);

 private:
  std::vector<std::vector<uint32_t>> lanes_;  // [warp][byte]
};

}  // namespace ridge::observe
