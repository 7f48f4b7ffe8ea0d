// Occupancy against NVIDIA's own calculator, cuda_occupancy.h, over a sweep; and cases worked by hand.
#include "warp_model/occupancy.h"

#include <cuda_occupancy.h>

#include "tests/catch.h"

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

TEST_CASE("occupancy on an H200 equals the arithmetic, and the limiter is named") {
  struct Row {
    BlockResources block;
    uint32_t blocks;
    double fraction;
    std::string_view limiter;
  };
  const Row row = GENERATE(values<Row>({
      {{256, 32, 0, 0, 0, -1}, 8, 1.0, "threads"},
      {{32, 16, 0, 0, 0, -1}, 32, 0.5, "blocks"},
      {{256, 33, 0, 0, 0, -1}, 6, 0.75, "registers"},  // 33 * 32 rounds up to 1280: 51 warps, 4 * 12 of them
      {{128, 32, 0, 48 * 1024, 0, -1}, 4, 0.25, "shared memory"},
      {{128, 32, 0, 227 * 1024, 0, -1}, 1, 0.0625, "shared memory"},
      {{128, 32, 0, 227 * 1024 + 1, 0, -1}, 0, 0.0, "shared memory"},
      {{1025, 32, 0, 0, 0, -1}, 0, 0.0, "threads"},
      {{1024, 65, 0, 0, 0, -1}, 0, 0.0, "registers"},  // 72 * 1024 registers: more than the file
      {{64, 16, 0, 0, 16, -1}, 4, 0.125, "barriers"},
  }));
  CAPTURE(row.block.threads_per_block, row.block.registers_per_thread, row.block.dynamic_shared_bytes);
  const Occupancy got = occupancy(default_device(), row.block);
  CHECK(got.blocks_per_sm == row.blocks);
  CHECK(got.fraction == Approx(row.fraction));
  CHECK(name(got.limiter) == row.limiter);
}

TEST_CASE("what shared memory leaves of the array is L1") {
  const Occupancy none = occupancy(default_device(), {1024, 32, 0, 0, 0, -1});
  CHECK(none.shared_carveout_bytes == 8 * 1024);  // the system's 1 KB in each of two blocks
  CHECK(none.l1_bytes == 248 * 1024);
  const Occupancy full = occupancy(default_device(), {1024, 32, 0, 100 * 1024, 0, -1});
  CHECK(full.blocks_per_sm == 2);
  CHECK(full.shared_carveout_bytes == 228 * 1024);
  CHECK(full.l1_bytes == 28 * 1024);
}

TEST_CASE("sizes that no device has do not wrap around to fitting ones") {
  CHECK(occupancy(default_device(), {32, 16, 0xffffffff, 0xffffffff, 0, -1}).blocks_per_sm == 0);
  CHECK(occupancy(default_device(), {32, 0xffffffff, 0, 0, 0, -1}).blocks_per_sm == 0);
  CHECK(occupancy(default_device(), {0xffffffff, 16, 0, 0, 0, -1}).blocks_per_sm == 0);
  CHECK(occupancy(default_device(), {0, 16, 0, 0, 0, -1}).blocks_per_sm == 0);
}
