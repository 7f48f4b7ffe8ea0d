// Occupancy: how many blocks and warps of one kernel are resident on an SM.
//
// A block needs four resources of an SM; the scarcest one is the limit:
//   threads        ceil(threads / 32) warp slots (64 on sm_80 and sm_90, 48 on sm_89, 32 on sm_75)
//   blocks         one of 32 (sm_89: 24, sm_75: 16) block slots
//   registers      a warp takes 32 R registers, rounded up to 256, from the quarter of the register
//                  file that its scheduler owns: at most 4 * floor(16384 / roundup(32 R, 256)) warps
//   shared memory  static + dynamic + the system's part (1 KB from sm_80 on), rounded up to 128 bytes
//                  (sm_75: 256), out of the largest carve-out
// The formulas are those of NVIDIA's cuda_occupancy.h (CUDA 13.0); a test compares the two over a
// sweep of inputs.
#pragma once

#include <cstdint>
#include <string_view>

#include "warp_model/device.h"

namespace ridge::warp_model {

struct BlockResources {
  uint32_t threads_per_block = 0;
  uint32_t registers_per_thread = 0;  // 0 = unknown: registers are not a limit
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_bytes = 0;
  uint32_t named_barriers = 0;  // barrier numbers that the kernel uses; 0 = unknown: not a limit
  // cudaFuncAttributePreferredSharedMemoryCarveout: percent of the largest carve-out; below 0 = the
  // driver chooses.
  int carveout_percent = -1;
};

enum class OccupancyLimiter : uint8_t { threads, blocks, registers, shared_memory, barriers };
// "threads", "blocks", "registers", "shared memory", "barriers".
std::string_view name(OccupancyLimiter limiter);

inline constexpr uint32_t kUnlimited = 0x7fffffff;

struct Occupancy {
  uint32_t blocks_per_sm = 0;  // 0: one block does not fit
  uint32_t warps_per_sm = 0;
  double fraction = 0;  // resident warps / maximum warps of the SM, 0 to 1
  // The resource that prevents one more block. If several do, this is the first in the order of the
  // enum: relaxing a later one alone would not help.
  OccupancyLimiter limiter = OccupancyLimiter::threads;

  // Number of blocks that would fit if this were the only limit; kUnlimited when the kernel uses
  // none of the resource.
  uint32_t limit_threads = 0, limit_blocks = 0, limit_registers = 0, limit_shared_memory = 0,
           limit_barriers = 0;

  uint32_t registers_allocated_per_block = 0;
  uint32_t shared_bytes_allocated_per_block = 0;  // including the reserved part, rounded up
  // The smallest carve-out that holds the resident blocks, and the remaining L1 cache.
  uint32_t shared_carveout_bytes = 0, l1_bytes = 0;
};

// A launch that can never run (too many threads, registers or shared bytes per block) has
// blocks_per_sm 0 and the limiter that is exceeded. threads_per_block 0 does not fit either.
Occupancy occupancy(const DeviceDescription& device, const BlockResources& block);

}  // namespace ridge::warp_model
