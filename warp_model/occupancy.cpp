#include "warp_model/occupancy.h"

#include <algorithm>
#include <array>

namespace ridge::warp_model {
namespace {

constexpr uint32_t kWarpThreads = 32;

constexpr uint32_t divide_up(uint32_t value, uint32_t step) {
  return (value + step - 1) / step;
}
constexpr uint32_t round_up(uint32_t value, uint32_t step) {
  return divide_up(value, step) * step;
}

// The smallest carve-out of at least `bytes`; 0 when no carve-out is that large.
uint32_t carveout_for(const DeviceDescription& device, uint64_t bytes) {
  for (uint32_t kilobytes : device.shared_carveouts_kb) {
    if (kilobytes * 1024ull >= bytes) return kilobytes * 1024;
  }
  return 0;
}

uint32_t blocks_by_threads(const DeviceDescription& device, uint32_t threads) {
  if (threads == 0 || threads > device.max_threads_per_block) return 0;
  return device.max_warps_per_sm / divide_up(threads, kWarpThreads);
}

uint32_t blocks_by_registers(const DeviceDescription& device, uint32_t warps, uint32_t registers_per_warp) {
  if (registers_per_warp == 0) return kUnlimited;
  // The launch check rounds the block's warps up to a multiple of the sub-partitions, regardless of
  // what the block allocates.
  if (registers_per_warp * round_up(warps, device.sub_partitions) > device.registers_per_block) return 0;
  const uint32_t warps_per_partition = device.registers_per_sm / device.sub_partitions / registers_per_warp;
  return warps_per_partition * device.sub_partitions / warps;
}

uint32_t blocks_by_shared_memory(const DeviceDescription& device, const BlockResources& block,
                                 uint32_t allocated) {
  if (allocated > device.shared_bytes_per_block_optin + device.shared_bytes_reserved) return 0;
  if (allocated == 0) return kUnlimited;
  uint32_t available = device.shared_bytes_per_sm;
  if (block.carveout_percent >= 0) {
    const uint64_t percent = static_cast<uint64_t>(std::min(block.carveout_percent, 100));
    available = carveout_for(device, percent * device.shared_bytes_per_sm / 100);
    // The preferred carve-out is ignored when one block does not fit into it.
    if (available < allocated) available = carveout_for(device, allocated);
  }
  return available / allocated;
}

}  // namespace

std::string_view name(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::threads:
      return "threads";
    case OccupancyLimiter::blocks:
      return "blocks";
    case OccupancyLimiter::registers:
      return "registers";
    case OccupancyLimiter::shared_memory:
      return "shared memory";
    case OccupancyLimiter::barriers:
      return "barriers";
  }
  return "";
}

Occupancy occupancy(const DeviceDescription& device, const BlockResources& block) {
  Occupancy result;
  const uint32_t warps = std::max(1u, divide_up(block.threads_per_block, kWarpThreads));
  const uint32_t registers_per_warp =
      round_up(block.registers_per_thread * kWarpThreads, device.register_granularity);
  result.registers_allocated_per_block = registers_per_warp * warps;
  // Saturate so that an excessive size does not wrap around to one that fits.
  const uint64_t shared =
      uint64_t{block.static_shared_bytes} + block.dynamic_shared_bytes + device.shared_bytes_reserved;
  result.shared_bytes_allocated_per_block =
      round_up(static_cast<uint32_t>(std::min<uint64_t>(shared, 1u << 30)), device.shared_granularity_bytes);

  result.limit_threads = blocks_by_threads(device, block.threads_per_block);
  result.limit_blocks = device.max_blocks_per_sm;
  result.limit_registers = block.registers_per_thread > device.max_registers_per_thread
                               ? 0
                               : blocks_by_registers(device, warps, registers_per_warp);
  result.limit_shared_memory =
      blocks_by_shared_memory(device, block, result.shared_bytes_allocated_per_block);
  result.limit_barriers = block.named_barriers != 0 && device.named_barriers_per_sm != 0
                              ? device.named_barriers_per_sm / block.named_barriers
                              : kUnlimited;

  const std::array<uint32_t, 5> limits{result.limit_threads, result.limit_blocks, result.limit_registers,
                                       result.limit_shared_memory, result.limit_barriers};
  const auto scarcest = std::min_element(limits.begin(), limits.end());  // the first of equal ones
  result.blocks_per_sm = *scarcest;
  result.limiter = static_cast<OccupancyLimiter>(scarcest - limits.begin());
  result.warps_per_sm = result.blocks_per_sm * warps;
  result.fraction = static_cast<double>(result.warps_per_sm) / device.max_warps_per_sm;
  result.shared_carveout_bytes =
      carveout_for(device, uint64_t{result.blocks_per_sm} * result.shared_bytes_allocated_per_block);
  result.l1_bytes = device.l1_and_shared_bytes - result.shared_carveout_bytes;
  return result;
}

}  // namespace ridge::warp_model
