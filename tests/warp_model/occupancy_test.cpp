// Occupancy of cases worked by hand.
#include "warp_model/occupancy.h"

#include "tests/catch.h"

using namespace ridge::warp_model;

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
