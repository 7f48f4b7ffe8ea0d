// Occupancy against NVIDIA's own calculator, cuda_occupancy.h, over a sweep. The header is a part of the toolkit.
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

#include "tests/catch.h"
#include "warp_model/occupancy.h"

using namespace ridge::warp_model;

namespace {

cudaOccDeviceProp oracle_device(const DeviceDescription& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = static_cast<int>(device.compute_major);
  properties.computeMinor = static_cast<int>(device.compute_minor);
  properties.maxThreadsPerBlock = static_cast<int>(device.max_threads_per_block);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(device.max_threads_per_sm());
  properties.regsPerBlock = static_cast<int>(device.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(device.registers_per_sm);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = device.shared_bytes_per_block;
  properties.sharedMemPerMultiprocessor = device.shared_bytes_per_sm;
  properties.numSms = static_cast<int>(device.multiprocessors);
  properties.sharedMemPerBlockOptin = device.shared_bytes_per_block_optin;
  properties.reservedSharedMemPerBlock = device.shared_bytes_reserved;
  return properties;
}

cudaOccFuncAttributes oracle_function(const BlockResources& block) {
  cudaOccFuncAttributes attributes{};
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = static_cast<int>(block.registers_per_thread);
  attributes.sharedSizeBytes = block.static_shared_bytes;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = block.dynamic_shared_bytes;
  attributes.numBlockBarriers = static_cast<int>(block.named_barriers);
  return attributes;
}

cudaOccResult oracle(const DeviceDescription& device, const BlockResources& block) {
  const cudaOccDeviceProp properties = oracle_device(device);
  const cudaOccFuncAttributes attributes = oracle_function(block);
  cudaOccDeviceState state;
  state.carveoutConfig = block.carveout_percent < 0 ? SHAREDMEM_CARVEOUT_DEFAULT : block.carveout_percent;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(block.threads_per_block),
      block.dynamic_shared_bytes);
  REQUIRE(error == CUDA_OCC_SUCCESS);
  return result;
}

unsigned oracle_bit(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::threads:
      return OCC_LIMIT_WARPS;
    case OccupancyLimiter::blocks:
      return OCC_LIMIT_BLOCKS;
    case OccupancyLimiter::registers:
      return OCC_LIMIT_REGISTERS;
    case OccupancyLimiter::shared_memory:
      return OCC_LIMIT_SHARED_MEMORY;
    case OccupancyLimiter::barriers:
      return OCC_LIMIT_BARRIERS;
  }
  return 0;
}

}  // namespace

TEST_CASE("occupancy agrees with NVIDIA's calculator on every device over a sweep") {
  const std::string_view device_name = GENERATE("H200", "A100", "RTX4090", "T4");
  const DeviceDescription& device = *find_device(device_name);
  uint64_t compared = 0, nonzero = 0;
  for (uint32_t threads :
       {1u, 31u, 32u, 33u, 64u, 96u, 128u, 160u, 192u, 256u, 288u, 384u, 512u, 640u, 768u, 1024u, 1025u}) {
    for (uint32_t registers = 0; registers <= 255; registers += registers < 40 ? 1 : 5) {
      for (uint32_t dynamic : {0u, 1u, 127u, 1024u, 4096u, 11000u, 16384u, 33000u, 49152u, 50000u, 65536u,
                               65537u, 101376u, 101377u, 166912u, 166913u, 232448u, 232449u}) {
        for (int carveout : {-1, 0, 50, 100}) {
          if (carveout >= 0 && registers % 8 != 0) continue;
          const BlockResources block{threads, registers, 0, dynamic, registers % 3, carveout};
          const cudaOccResult expected = oracle(device, block);
          const Occupancy got = occupancy(device, block);
          const bool agrees =
              static_cast<int>(got.blocks_per_sm) == expected.activeBlocksPerMultiprocessor &&
              static_cast<int>(got.registers_allocated_per_block) == expected.allocatedRegistersPerBlock &&
              got.shared_bytes_allocated_per_block == expected.allocatedSharedMemPerBlock &&
              (expected.limitingFactors & oracle_bit(got.limiter)) != 0;
          if (!agrees) {
            CAPTURE(threads, registers, dynamic, carveout, got.blocks_per_sm, name(got.limiter),
                    expected.activeBlocksPerMultiprocessor, expected.limitingFactors);
            FAIL("occupancy differs from cuda_occupancy.h");
          }
          ++compared;
          nonzero += got.blocks_per_sm > 0;
        }
      }
    }
  }
  CHECK(compared > 30000);
  CHECK(nonzero > compared / 4);
}
#endif
