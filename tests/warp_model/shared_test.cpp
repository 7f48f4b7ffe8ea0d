// Shared memory against an H200: one warp, 31 patterns of addresses, wavefronts and conflicts as Nsight
// Compute counts them (smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st},
// l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld, l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom;
// CUDA 13.0).
#include <array>
#include <random>
#include <vector>

#include "tests/catch.h"
#include "warp_model/access.h"
#include "warp_model/strided_access.h"

using namespace ridge::warp_model;

namespace {

struct Pattern {
  const char* name;
  std::array<int, 32> elements;             // by lane, of the size of the access; -1: inactive
  std::array<uint32_t, 3> load_wavefronts;  // 4, 8, 16 bytes per lane
  std::array<uint32_t, 3> load_conflicts;
  std::array<uint32_t, 3> store_wavefronts;
  uint32_t exchange_wavefronts;  // 4 bytes
};

const std::vector<Pattern> kPatterns = {
    {"identity",
     {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     1},
    {"i^1",
     {0, 0, 1, 1, 2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  7,  7,
      8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15},
     {1, 1, 2},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"i^2",
     {0,  1,  0,  1,  4,  5,  4,  5,  8,  9,  8,  9,  12, 13, 12, 13,
      16, 17, 16, 17, 20, 21, 20, 21, 24, 25, 24, 25, 28, 29, 28, 29},
     {1, 2, 4},
     {0, 1, 2},
     {1, 2, 4},
     2},
    {"i^4",
     {0,  1,  2,  3,  0,  1,  2,  3,  8,  9,  10, 11, 8,  9,  10, 11,
      16, 17, 18, 19, 16, 17, 18, 19, 24, 25, 26, 27, 24, 25, 26, 27},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"i^8",
     {0,  1,  2,  3,  4,  5,  6,  7,  0,  1,  2,  3,  4,  5,  6,  7,
      16, 17, 18, 19, 20, 21, 22, 23, 16, 17, 18, 19, 20, 21, 22, 23},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"i^16",
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"pairs*16",
     {0,   0,   16,  16,  32,  32,  48,  48,  64,  64,  80,  80,  96,  96,  112, 112,
      128, 128, 144, 144, 160, 160, 176, 176, 192, 192, 208, 208, 224, 224, 240, 240},
     {8, 16, 16},
     {7, 15, 14},
     {8, 16, 16},
     16},
    {"pairs*2",
     {0,  0,  2,  2,  4,  4,  6,  6,  8,  8,  10, 10, 12, 12, 14, 14,
      16, 16, 18, 18, 20, 20, 22, 22, 24, 24, 26, 26, 28, 28, 30, 30},
     {1, 2, 4},
     {0, 1, 2},
     {1, 2, 4},
     2},
    {"half0 pairs",
     {0,  0,  1,  1,  2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  7,  7,
      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
     {1, 2, 3},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"half0 i^1 half1 i^2",
     {0,  0,  1,  1,  2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  7,  7,
      16, 17, 16, 17, 20, 21, 20, 21, 24, 25, 24, 25, 28, 29, 28, 29},
     {1, 2, 3},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"even active",
     {0,  -1, 2,  -1, 4,  -1, 6,  -1, 8,  -1, 10, -1, 12, -1, 14, -1,
      16, -1, 18, -1, 20, -1, 22, -1, 24, -1, 26, -1, 28, -1, 30, -1},
     {1, 2, 4},
     {0, 1, 2},
     {1, 2, 4},
     1},
    {"even active packed",
     {0, -1, 1, -1, 2,  -1, 3,  -1, 4,  -1, 5,  -1, 6,  -1, 7,  -1,
      8, -1, 9, -1, 10, -1, 11, -1, 12, -1, 13, -1, 14, -1, 15, -1},
     {1, 1, 2},
     {0, 0, 0},
     {1, 2, 4},
     1},
    {"low16",
     {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {1, 1, 2},
     {0, 0, 0},
     {1, 1, 2},
     1},
    {"low8",
     {0,  1,  2,  3,  4,  5,  6,  7,  -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {1, 1, 1},
     {0, 0, 0},
     {1, 1, 1},
     1},
    {"low4",
     {0,  1,  2,  3,  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {1, 1, 1},
     {0, 0, 0},
     {1, 1, 1},
     1},
    {"lane0",
     {0,  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {1, 1, 1},
     {0, 0, 0},
     {1, 1, 1},
     1},
    {"every 4th packed",
     {0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1,
      4, -1, -1, -1, 5, -1, -1, -1, 6, -1, -1, -1, 7, -1, -1, -1},
     {1, 1, 2},
     {0, 0, 0},
     {1, 2, 4},
     1},
    {"groups of four lanes",
     {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
     {1, 1, 2},
     {0, 0, 0},
     {1, 2, 4},
     4},
    {"octs",
     {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
     {1, 1, 2},
     {0, 0, 0},
     {1, 2, 4},
     8},
    {"same",
     {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
     {1, 1, 2},
     {0, 0, 0},
     {1, 2, 4},
     32},
    {"one a quarter",
     {0,  -1, -1, -1, -1, -1, -1, -1, 8,  -1, -1, -1, -1, -1, -1, -1,
      16, -1, -1, -1, -1, -1, -1, -1, 24, -1, -1, -1, -1, -1, -1, -1},
     {1, 2, 4},
     {0, 1, 2},
     {1, 2, 4},
     1},
    {"pairs, one lane alone",
     {0, 0, 1, 1, 2,  2,  3,  20, 4,  4,  5,  5,  6,  6,  7,  7,
      8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15},
     {1, 3, 3},
     {0, 1, 0},
     {1, 3, 4},
     2},
    {"stride2",
     {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
      32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62},
     {2, 4, 8},
     {1, 2, 4},
     {2, 4, 8},
     2},
    {"even active stride2",
     {0,  -1, 4,  -1, 8,  -1, 12, -1, 16, -1, 20, -1, 24, -1, 28, -1,
      32, -1, 36, -1, 40, -1, 44, -1, 48, -1, 52, -1, 56, -1, 60, -1},
     {2, 4, 8},
     {1, 3, 6},
     {2, 4, 8},
     2},
    {"reversed",
     {31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
      15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     1},
    {"half1 same as half0 reversed",
     {0,  1,  2,  3,  4,  5,  6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
      15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,  4,  3,  2,  1,  0},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"i^1 in half0, half1 same as half0",
     {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7},
     {1, 1, 2},
     {0, 0, 0},
     {1, 2, 4},
     4},
    {"i^3",
     {0,  1,  1,  0,  4,  5,  5,  4,  8,  9,  9,  8,  12, 13, 13, 12,
      16, 17, 17, 16, 20, 21, 21, 20, 24, 25, 25, 24, 28, 29, 29, 28},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     2},
    {"low 24",
     {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
      16, 17, 18, 19, 20, 21, 22, 23, -1, -1, -1, -1, -1, -1, -1, -1},
     {1, 2, 3},
     {0, 0, 0},
     {1, 2, 3},
     1},
    {"quarter 0 and 2",
     {0,  1,  2,  3,  4,  5,  6,  7,  -1, -1, -1, -1, -1, -1, -1, -1,
      16, 17, 18, 19, 20, 21, 22, 23, -1, -1, -1, -1, -1, -1, -1, -1},
     {1, 2, 2},
     {0, 0, 0},
     {1, 2, 2},
     1},
    {"row of 7",
     {0,   7,   14,  21,  28,  35,  42,  49,  56,  63,  70,  77,  84,  91,  98,  105,
      112, 119, 126, 133, 140, 147, 154, 161, 168, 175, 182, 189, 196, 203, 210, 217},
     {1, 2, 4},
     {0, 0, 0},
     {1, 2, 4},
     1},
};

struct Lanes {
  uint64_t addresses[32] = {};
  uint32_t mask = 0;
  Lanes(const Pattern& pattern, uint32_t bytes) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (pattern.elements[lane] < 0) continue;
      mask |= 1u << lane;
      addresses[lane] = static_cast<uint64_t>(pattern.elements[lane]) * bytes;
    }
  }
};

}  // namespace

TEST_CASE("Shared loads, stores and atomics take the wavefronts that an H200 counts") {
  for (const Pattern& pattern : kPatterns) {
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t bytes = 4u << k;
      const Lanes lanes(pattern, bytes);
      INFO(pattern.name << ", " << bytes << " bytes per lane");
      const SharedCost load = shared_load_cost(lanes.addresses, lanes.mask, bytes);
      CHECK(load.wavefronts == pattern.load_wavefronts[k]);
      CHECK(load.conflicts() == pattern.load_conflicts[k]);
      CHECK(load.bytes == active_lanes(lanes.mask) * bytes);
      CHECK(shared_cost(lanes.addresses, lanes.mask, bytes).wavefronts == pattern.store_wavefronts[k]);
    }
    const Lanes lanes(pattern, 4);
    INFO(pattern.name << ", exchange");
    CHECK(shared_atomic_cost(lanes.addresses, lanes.mask, 4).wavefronts == pattern.exchange_wavefronts);
  }
}

TEST_CASE("The formula for strided shared loads equals the general function") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20000; ++trial) {
    const uint32_t bytes = 1u << random() % 5;
    const int64_t stride = static_cast<int64_t>(random() % 9) * bytes * (random() % 2 != 0u ? 1 : -1);
    const uint64_t base = 65536 + random() % 64 * bytes;
    uint32_t mask = ~0u;
    if (trial % 3 == 1) mask = random();
    if (trial % 3 == 2) mask = 0x55555555u << random() % 2;
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 32; ++lane)
      addresses[lane] = base + static_cast<uint64_t>(stride) * lane;
    INFO("stride " << stride << ", " << bytes << " bytes, mask " << mask);
    CHECK(shared_load_cost_strided(base, stride, bytes, mask) == shared_load_cost(addresses, mask, bytes));
  }
}
