// Memory of the race check that launches give to each other.
#include "virtual_gpu/observe/races/shadow_pool.h"

#include "tests/catch.h"

using ridge::observe::ShadowPool;

TEST_CASE("a launch gets no cells of one that began later and has ended sooner") {
  constexpr uint64_t kWords = 4099;  // no other test's
  ShadowPool& pool = ShadowPool::get();
  const uint32_t first = pool.take_serials(4);
  const uint32_t later = pool.take_serials(4);
  uint64_t* const cells = pool.take(kWords, later);
  REQUIRE(cells);
  cells[0] = uint64_t{later + 3} << 32;
  pool.give(cells, kWords);
  uint64_t* const own = pool.take(kWords, first);
  REQUIRE(own);
  CHECK(own != cells);
  CHECK(own[0] == 0);
  // A launch that begins now may have them.
  CHECK(pool.take(kWords, pool.take_serials(1)) == cells);
}
