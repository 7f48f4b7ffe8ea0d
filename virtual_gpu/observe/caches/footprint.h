// How many distinct sectors a launch touches, estimated from the blocks that were sampled.
#pragma once

#include <vector>

#include "virtual_gpu/observe/caches/cache_replay.h"

namespace ridge::observe {

// Number of distinct sectors that the sampled blocks touch, and the estimate for the whole launch.
struct Footprint {
  uint64_t followed = 0;
  double whole = 0;
  uint64_t of_peers = 0;  // of `followed`: in the memory of other devices
};

// `scale`: blocks of the launch for each sampled one.
Footprint footprint_of(const SampledBlocks& given, const CacheLayout& layout, double scale);

// Number of sectors in the union of address ranges.
double sectors_in(std::vector<AddressRange> ranges);

}  // namespace ridge::observe
