#include "warp_model/cache.h"

#include "tests/catch.h"

using namespace ridge::warp_model;

TEST_CASE("A cache keeps sectors, not lines") {
  SectorCache cache(16 * kLineBytes, 4, Replacement::oldest);
  CHECK(cache.bytes() == 16 * kLineBytes);
  CHECK(cache.find(7, 0b1111) == 0);
  CHECK(cache.fill(7, 0b0101, false) == 0);
  CHECK(cache.find(7, 0b1111) == 0b0101);
  CHECK(cache.find(7, 0b1010) == 0);
  cache.forget(7, 0b0001);
  CHECK(cache.find(7, 0b1111) == 0b0100);
  cache.clear();
  CHECK(cache.find(7, 0b1111) == 0);
}

TEST_CASE("the least recently used line is evicted with its written sectors") {
  SectorCache cache(4 * kLineBytes, 4, Replacement::oldest);  // one set
  for (uint64_t line = 0; line < 4; ++line)
    cache.fill(line, 0b1111, line == 1);
  CHECK(cache.dirty(1, 0b0011) == 0b0011);
  for (const uint64_t line : {0, 2, 3})
    cache.find(line, 1);
  CHECK(cache.fill(10, 1, false) == 0b1111);  // line 1
  CHECK(cache.find(1, 1) == 0);
  CHECK(cache.find(0, 1) == 1);
}

TEST_CASE("a cyclic working set larger than the cache always misses under LRU") {
  constexpr uint64_t kLines = 1024;
  for (const Replacement replacement : {Replacement::oldest, Replacement::oldest_of_a_few}) {
    SectorCache cache(kLines * kLineBytes, 16, replacement);
    uint64_t hits = 0;
    for (int round = 0; round < 4; ++round) {
      for (uint64_t line = 0; line < kLines * 9 / 8; ++line) {
        hits += cache.find(line, 1);
        cache.fill(line, 1, false);
      }
    }
    if (replacement == Replacement::oldest)
      CHECK(hits == 0);
    else
      CHECK(hits > kLines);
  }
}

TEST_CASE("The driver's carve-out is what it was on an H200") {
  struct Row {
    uint64_t shared_bytes;  // of the resident blocks, with 1 KB reserved in each
    uint32_t carveout_kb;
  };
  // launch__shared_mem_config_size of launches in tests/hardware/counters.
  constexpr Row kRows[] = {
      {2 * 1024, 8},  {8 * 1024, 32}, {8 * 1280, 32},  {8 * 1536, 32},           {8 * 2048, 32},
      {8 * 2176, 64}, {8 * 3072, 64}, {8 * 5120, 100}, {8 * (4224 + 1024), 100}, {8 * 9216, 132}};
  const DeviceDescription& h200 = *find_device("H200");
  for (const Row& row : kRows) {
    INFO(row.shared_bytes);
    CHECK(driver_carveout_bytes(h200, row.shared_bytes) == row.carveout_kb * 1024);
  }
}
