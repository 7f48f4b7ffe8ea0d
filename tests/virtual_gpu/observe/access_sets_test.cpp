// Sets of unordered accesses to one word.
#include "virtual_gpu/observe/races/access_sets.h"

#include <set>
#include <vector>

#include "tests/catch.h"

using ridge::observe::AccessSets;

namespace {

AccessSets::Access read_by(uint32_t serial, uint32_t epoch = 1) {
  return {serial, epoch, 3, 0, 0, 15, false};
}

uint32_t size_of(const AccessSets& sets, uint32_t id) {
  const AccessSets::Set* set = sets.find(id);
  return set == nullptr ? 0 : set->count;
}

}  // namespace

TEST_CASE("words that were accessed alike share a set") {
  AccessSets sets(true);
  uint32_t one = 0, other = 0;
  for (const uint32_t serial : {7u, 8u, 9u})
    one = sets.add(one, read_by(serial));
  for (const uint32_t serial : {7u, 8u, 9u})
    other = sets.add(other, read_by(serial));
  CHECK(one == other);
  CHECK(size_of(sets, one) == 3);
  CHECK(sets.add(one, read_by(10)) != one);
  CHECK(size_of(sets, one) == 3);  // a set never changes
}

TEST_CASE("a block's later access replaces its earlier one, an atomic no read") {
  AccessSets sets(true);
  const uint32_t first = sets.add(0, read_by(7));
  CHECK(sets.add(first, read_by(7)) == first);
  const uint32_t later = sets.add(first, read_by(7, 2));
  REQUIRE(size_of(sets, later) == 1);
  CHECK(sets.find(later)->newest.epoch == 2);
  AccessSets::Access atomic = read_by(7, 2);
  atomic.writes = true;
  CHECK(size_of(sets, sets.add(later, atomic)) == 2);
}

TEST_CASE("numbers of an earlier launch name no set") {
  uint32_t old = 0;
  {
    AccessSets sets(true);
    old = sets.add(0, read_by(7));
    CHECK(size_of(sets, old) == 1);
  }
  AccessSets sets(true);
  CHECK(sets.find(old) == nullptr);
  CHECK(size_of(sets, sets.add(old, read_by(8))) == 1);
}

TEST_CASE("an access names the thread of each word of its warp") {
  const AccessSets::Access vectors{1, 1, 0, static_cast<uint16_t>(1024 - 5), 2, 15, false};
  for (uint64_t word = 40; word < 60; ++word)
    CHECK(vectors.thread(word) == word / 4 - 5);
}

TEST_CASE("a set tells whether one of its accesses writes, the newest or an older one") {
  AccessSets sets(true);
  AccessSets::Access atomic = read_by(8);
  atomic.writes = true;
  const uint32_t reads = sets.add(sets.add(0, read_by(6)), read_by(7));
  CHECK_FALSE(sets.find(reads)->writes);
  const uint32_t mixed = sets.add(reads, atomic);
  CHECK(sets.find(mixed)->writes);
  CHECK(sets.find(sets.add(mixed, read_by(9)))->writes);
  CHECK_FALSE(sets.find(reads)->writes);  // a set never changes
}

TEST_CASE("thousands of sets keep their numbers, and are found again") {
  AccessSets sets(true);
  std::vector<uint32_t> made;
  for (uint32_t k = 0; k < 5000; ++k)  // lists of up to 100 accesses
    made.push_back(sets.add(k % 100 == 0 ? 0 : made.back(), read_by(k % 100 + 1, k / 100)));
  CHECK(std::set<uint32_t>(made.begin(), made.end()).size() == made.size());
  for (uint32_t k = 0; k < 5000; ++k) {
    CAPTURE(k);
    REQUIRE(sets.add(k % 100 == 0 ? 0 : made[k - 1], read_by(k % 100 + 1, k / 100)) == made[k]);
    REQUIRE(size_of(sets, made[k]) == k % 100 + 1);
  }
}
