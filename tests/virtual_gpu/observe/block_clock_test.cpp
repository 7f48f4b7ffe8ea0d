#include "virtual_gpu/observe/races/block_clock.h"

#include <random>

#include "tests/catch.h"

using ridge::machine::SyncPlace;
using ridge::observe::BlockClock;

namespace {

constexpr uint32_t kAll = ~0u;

SyncPlace barrier(uint64_t id, uint64_t phase) {
  return {SyncPlace::Kind::block_barrier, 0, id, phase};
}

}  // namespace

TEST_CASE("A barrier orders what came before it, and nothing that came after") {
  BlockClock clock;
  clock.begin(2);
  const uint32_t before = clock.stamp(1);
  CHECK_FALSE(clock.ordered(0, 32, before));
  clock.released(0, barrier(0, 0));
  clock.released(1, barrier(0, 0));
  clock.acquired(0, kAll, barrier(0, 0));
  clock.acquired(1, kAll, barrier(0, 0));
  CHECK(clock.ordered(0, 32, before));
  CHECK(before < clock.safe_before(0));
  const uint32_t after = clock.stamp(1);
  CHECK_FALSE(clock.ordered(0, 32, after));
  CHECK(after >= clock.safe_before(0));
}

TEST_CASE("A warp that goes on after it arrived is not covered by its arrival") {
  BlockClock clock;
  clock.begin(3);
  const uint32_t before = clock.stamp(1);
  clock.released(1, barrier(1, 0));
  const uint32_t after = clock.stamp(1);
  clock.acquired(0, kAll, barrier(1, 0));
  CHECK(clock.ordered(0, 32, before));
  CHECK_FALSE(clock.ordered(0, 32, after));
  CHECK_FALSE(clock.ordered(2 * 32, 32, before));  // warp 2 was not there
}

TEST_CASE("What a warp has seen is passed on") {
  BlockClock clock;
  clock.begin(3);
  const uint32_t before = clock.stamp(0);
  clock.released(0, barrier(1, 0));
  clock.acquired(1, kAll, barrier(1, 0));
  clock.released(1, barrier(2, 0));
  clock.acquired(2, kAll, barrier(2, 0));
  CHECK(clock.ordered(2 * 32, 0, before));
}

TEST_CASE("Lanes of a warp are ordered by __syncwarp only, and with the lanes that took part") {
  BlockClock clock;
  clock.begin(1);
  const uint32_t first = clock.stamp(0);
  CHECK_FALSE(clock.ordered(1, 0, first));
  clock.warp_synchronized(0, 0xffff, kAll);
  CHECK(clock.ordered(1, 0, first));
  CHECK_FALSE(clock.ordered(20, 0, first));
  clock.warp_synchronized(0, kAll, kAll);
  CHECK(clock.ordered(20, 0, first));
  CHECK_FALSE(clock.ordered(20, 0, clock.stamp(0)));
}

TEST_CASE("A new block has nothing to do with the one before it") {
  BlockClock clock;
  clock.begin(2);
  const uint32_t old = clock.stamp(1);
  clock.begin(2);
  CHECK(clock.ordered(0, 32, old));
}

TEST_CASE("a partial warp barrier counts as an order with any lane of that warp") {
  BlockClock clock;
  clock.begin(1);
  clock.warp_synchronized(0, kAll, kAll);
  const uint32_t read = clock.stamp(0);
  CHECK(clock.since_barrier_of_all(0, read, 2));
  clock.warp_synchronized(0, 0xf, kAll);
  CHECK_FALSE(clock.since_barrier_of_all(0, read, 2));
  CHECK(clock.since_barrier_of_all(0, read, 5));  // lane 5 was not there
}

TEST_CASE("Whether all warps are past a stamp is what the lowest of their stamps says, whoever meets") {
  std::mt19937 random(7);
  BlockClock clock;
  clock.begin(5);
  uint32_t passed = 0;
  for (uint32_t turn = 0; turn < 2000; ++turn) {
    const uint32_t which = random() % 3 == 0 ? 31 : random() % 32;
    for (uint32_t warp = 0; warp < 5; ++warp)
      if (which >> warp & 1) clock.released(warp, barrier(which, turn));
    for (uint32_t warp = 0; warp < 5; ++warp) {
      if (which >> warp & 1) clock.acquired(warp, kAll, barrier(which, turn));
      const uint32_t stamp = clock.now() - std::min(clock.now(), static_cast<uint32_t>(random() % 6));
      const bool expected = clock.all_safe() > stamp;
      REQUIRE(clock.all_safe_after(stamp) == expected);
      passed += expected;
    }
  }
  CHECK(passed > 500);
}
