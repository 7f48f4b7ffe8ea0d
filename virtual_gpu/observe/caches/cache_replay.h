// Replays the accesses of a launch's blocks through L1, L2 and DRAM; see cache_model.h.
#pragma once

#include <span>

#include "trace/launch_report.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/caches/access_stream.h"
#include "virtual_gpu/observe/caches/cache_model.h"

namespace ridge::observe {

struct SampledBlocks {
  std::span<const BlockStreams> blocks;  // ascending by block
  std::span<const AddressRange> ranges;  // by instruction, of all blocks
  const SpillsBehind& spills;
  bool all = true;  // the sample contains every block
};

// `sources`: by instruction.
void replay_caches(const SampledBlocks& given, const CacheLayout& layout, L2Cache& l2,
                   const std::vector<machine::InstructionSource>& sources, trace::LaunchReport& report);

}  // namespace ridge::observe
