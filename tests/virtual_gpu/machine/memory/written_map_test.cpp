#include "virtual_gpu/machine/memory/written_map.h"

#include "tests/catch.h"

using ridge::machine::WrittenMap;

TEST_CASE("A map knows which bytes were written, across its words") {
  constexpr uint64_t kBegin = 1 << 20;
  WrittenMap map(kBegin, 1 << 16);
  CHECK_FALSE(map.all_written(kBegin, 1));
  map.set(kBegin + 60, 10);
  CHECK(map.all_written(kBegin + 60, 10));
  CHECK(map.written_bits(kBegin + 58, 16) == 0xffc);
  CHECK(map.first_unwritten(kBegin + 60, kBegin + 100) == kBegin + 70);
  map.clear(kBegin + 64, 2);
  CHECK(map.written_bits(kBegin + 60, 10) == 0x3cf);
  CHECK_FALSE(map.covers(kBegin - 1, 1));
  CHECK_FALSE(map.covers(kBegin + (1 << 16) - 1, 2));
}

TEST_CASE("a copy transfers the written map of its source") {
  constexpr uint64_t kBegin = 1 << 20;
  WrittenMap map(kBegin, 1 << 16);
  map.set(kBegin, 40);
  map.set(kBegin + 4096, 100);
  map.copy(kBegin + 4096, kBegin, 64);
  CHECK(map.first_unwritten(kBegin + 4096, kBegin + 8192) == kBegin + 4096 + 40);
  CHECK(map.all_written(kBegin + 4096 + 64, 36));
}

TEST_CASE("Clearing a large range leaves its neighbours") {
  constexpr uint64_t kBegin = 1 << 20, kBytes = 1 << 22;
  WrittenMap map(kBegin, kBytes);
  map.set(kBegin, kBytes);
  map.clear(kBegin + 1000, kBytes - 2000);
  CHECK(map.all_written(kBegin, 1000));
  CHECK(map.first_unwritten(kBegin, kBegin + kBytes) == kBegin + 1000);
  CHECK_FALSE(map.all_written(kBegin + kBytes / 2, 1));
  CHECK(map.all_written(kBegin + kBytes - 1000, 1000));
}
