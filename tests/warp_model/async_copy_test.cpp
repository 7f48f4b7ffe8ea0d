// cp.async against an H200: 256 warps, global load sectors and cp.async wavefronts as Nsight Compute counts
// them (copy_async and copy_async_rows of course/measured/nvidia-h200/counters.json, CUDA 13.0).
#include "warp_model/async_copy.h"

#include <algorithm>
#include <bit>
#include <random>

#include "tests/catch.h"
#include "tests/warp_model/plain_access.h"

using namespace ridge::warp_model;

TEST_CASE("a copy whose rows conflict in shared memory asks for the sectors of every wavefront by itself") {
  struct Case {
    uint32_t bytes;
    int64_t row_bytes;                               // from lane to lane in shared memory
    uint32_t measured_wavefronts, measured_sectors;  // of 256 warps
  };
  const Case c = GENERATE(Case{4, 4, 256, 1024}, Case{8, 8, 512, 2048}, Case{16, 16, 1024, 4096},
                          Case{16, 128, 8192, 8192});
  CAPTURE(c.bytes, c.row_bytes);
  const plain::Addresses global = plain::strided(0x7000, c.bytes), shared = plain::strided(0, c.row_bytes);
  CHECK(256 * async_copy_wavefronts(shared.data(), kFullMask, c.bytes).count == c.measured_wavefronts);
  const GlobalCost cost = async_copy_cost(global.data(), shared.data(), kFullMask, c.bytes);
  CHECK(256 * cost.sectors == c.measured_sectors);
  CHECK(cost.requests == 1);
  CHECK(cost.bytes == 32 * c.bytes);
  CHECK(cost.ideal_sectors == c.bytes);
}

TEST_CASE("wavefronts of a copy are those of a store, each active lane in one, no bank asked for two words") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const uint32_t bytes = 4u << random() % 3, mask = round % 3 == 0 ? kFullMask : random();
    const uint32_t rows = 1u << random() % 8;
    plain::Addresses shared{};
    for (uint32_t lane = 0; lane < 32; ++lane)
      shared[lane] = round % 2 == 0 ? lane * rows * bytes : random() % 512 * bytes;
    CAPTURE(round, bytes, mask);
    const Wavefronts wavefronts = async_copy_wavefronts(shared.data(), mask, bytes);
    CHECK(wavefronts.count == shared_cost(shared.data(), mask, bytes).wavefronts);
    uint32_t served = 0;
    for (uint32_t k = 0; k < wavefronts.count; ++k) {
      CHECK(wavefronts.lanes[k] != 0);
      CHECK((served & wavefronts.lanes[k]) == 0);
      served |= wavefronts.lanes[k];
      CHECK(shared_cost(shared.data(), wavefronts.lanes[k], bytes).wavefronts == 1);
    }
    CHECK(served == mask);
  }
}

TEST_CASE("a copy without conflicts, from a row of whole sectors, costs what a load costs") {
  for (const uint32_t bytes : {4u, 8u, 16u}) {
    const plain::Addresses row = plain::strided(0x1000, bytes);
    CHECK(async_copy_cost(row.data(), row.data(), kFullMask, bytes) ==
          global_cost(row.data(), kFullMask, bytes));
    CHECK(async_copy_cost(row.data(), row.data(), 0, bytes) == GlobalCost{});
  }
}
