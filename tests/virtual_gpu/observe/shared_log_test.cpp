// Loads from shared memory that are only put down in a log: everything is found that would be found without.
#include <array>
#include <random>

#include "tests/virtual_gpu/observe/logged_block.h"

using namespace ridge;
using namespace ridge::observe::test;
using machine::Access;
using machine::SyncPlace;

TEST_CASE("a repeated load is logged, from the second on by the core alone") {
  Block block(true);
  fill(block);
  CHECK(block.load(row(1, 1, 0), false) == Outcome{});
  CHECK(block.logged == 0);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t line = 0; line < 20; ++line)
      CHECK(block.load(row(1, 1, line), true) == Outcome{});
  }
  CHECK(block.logged == 40);
  CHECK(block.added == 39);  // the meeting found out which lines are written all over
}

TEST_CASE("a load of an uninitialised byte is not logged") {
  Block block(true);
  fill(block);
  block.meet(0xf, 1);
  CHECK(block.store(row(2, 0, 5), 1u << 9).raced == false);  // lane 9 stores what it has not been given
  block.meet(0xf, 2);
  CHECK(block.load(row(1, 1, 5), false).undefined == 1u << 9);
  CHECK(block.load(row(1, 1, 5), true).undefined == 1u << 9);
  CHECK(block.logged == 0);
  block.meet(0xf, 3);
  block.store(row(2, 0, 5));
  block.meet(0xf, 4);
  CHECK(block.load(row(1, 1, 5), true).undefined == 0);
  CHECK(block.logged == 1);
}

TEST_CASE("of a partly initialised line only the initialised bytes can be logged") {
  Block block(true);
  for (uint64_t line = 0; line < 4; ++line)  // 28 of 32 words: the rest is padding
    block.store(access_of(0, 0, line * 128, 4, 4, 0x0fffffff));
  block.meet(0xf, 1);
  const auto column = [](uint64_t word) { return access_of(1, 1, word * 4, 128, 4, 0xf); };
  CHECK(block.load(column(0), false).undefined == 0);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t word = 0; word < 28; ++word)
      CHECK(block.load(column(word), true).undefined == 0);
  }
  CHECK(block.logged == 56);
  CHECK(block.added >= 20);  // two may want one place in a table
  CHECK(block.load(column(30), true).undefined == 0xf);
  CHECK(block.load(column(30), true).undefined == 0xf);
  block.meet(0xf, 2);
  CHECK(block.store(access_of(2, 0, 0, 4), 1u << 5).raced == false);
  block.meet(0xf, 3);
  CHECK(block.load(column(5), true).undefined == 1);
  CHECK(block.load(column(6), true).undefined == 0);
}

TEST_CASE("a full log is applied, and an unprofitable log is abandoned") {
  Block block(true);
  fill(block);
  for (uint64_t k = 0; k < 40000; ++k)
    CHECK(block.load(row(1, 1, k % 8), k != 0) == Outcome{});
  CHECK_FALSE(block.shadow.logs());
  const Outcome outcome = block.store(row(2, 2, 3));
  CHECK(outcome.raced);
  CHECK(outcome.race.other_thread == 32);
}

TEST_CASE("the same races are found with the log and without") {
  uint64_t logged = 0, added = 0, races = 0, met = 0;
  for (uint32_t seed = 0; seed < 800; ++seed) {
    const bool is_plain = seed % 2 == 1;  // `without` looks at stores lane by lane, too, up to the first race
    bool ended = false;
    std::mt19937 random(seed);
    const auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    const bool uninitialised = pick(4) == 0, copies = pick(3) == 0;
    const uint32_t lines = 1 + pick(24), stores = pick(3) == 0 ? pick(12) : pick(2);
    Block with(true, uninitialised), without(false, uninitialised);
    if (pick(2) == 0) {
      fill(with);
      fill(without);
    }
    std::array<std::array<uint64_t, 32>, 8> apart{};
    for (auto& lanes : apart)
      for (uint64_t lane = 0; lane < 32; ++lane)
        lanes[lane] = (pick(3) == 0 ? lane : pick(2) == 0 ? lane / 16 * 64 + lane % 4 * 4 : pick(96)) * 4;
    if (pick(2) == 0)  // rows of a tile
      for (uint64_t lane = 0; lane < 32; ++lane)
        apart[5][lane] = (lane / 8 * 11 + lane % 8) * 4;
    std::array<bool, kInstructions> was_there{};
    std::array<uint32_t, kInstructions> shape_then{};
    uint64_t phase = 1;
    uint32_t warp = 0;
    for (uint32_t step = 0; step < 400 && !ended; ++step) {
      INFO("seed " << seed << ", step " << step);
      if (pick(8) == 0) warp = pick(kWarps);
      const uint32_t act = pick(40);
      if (act < 3) {
        ++phase;
        with.meet(0xf, phase);
        without.meet(0xf, phase);
      } else if (act == 3) {
        const uint32_t which = 1 + pick(15);
        const SyncPlace place{SyncPlace::Kind::mbarrier, 0, 64 * pick(3), 0};
        with.meet(which, phase, place);
        without.meet(which, phase, place);
      } else if (act == 4) {
        const uint32_t mask = pick(2) == 0 ? ~0u : random();
        with.shadow.warp_synchronized(warp, mask, ~0u);
        without.shadow.warp_synchronized(warp, mask, ~0u);
      } else if (act == 5) {
        const uint64_t at = pick(lines) * 128 + pick(8) * 16, bytes = 16 * (1 + pick(8));
        with.shadow.land(at, bytes);
        without.shadow.land(at, bytes);
      } else if (act < 8 && copies) {
        const Access copy =
            access_of(14, warp, pick(lines) * 128 + pick(3) * 64, 16, 16, act == 6 ? ~0u : 0xff0);
        const bool begins = pick(2) == 0;
        const Outcome a = begins ? with.start_copy(copy) : with.end_copy(copy);
        const Outcome b = begins ? without.start_copy(copy) : without.end_copy(copy);
        REQUIRE(a == b);
        met += a.raced;
      } else if (act == 8 && copies) {
        const uint64_t at = pick(lines) * 128, bytes = 16 * (1 + pick(20));
        const bool begins = pick(2) == 0;
        for (observe::SharedShadow* shadow : {&with.shadow, &without.shadow})
          begins ? shadow->mark_leaving(at, bytes, 15) : shadow->copy_left(at, bytes);
      } else {
        const bool is_store = pick(16) < stores;
        const uint32_t instruction = pick(is_store ? 2 : 6) + (is_store ? 8 : 1), shape = pick(6);
        const uint32_t bytes = instruction == 6 ? 2 : instruction == 5 || instruction == 9 ? 16 : 4;
        Access access = access_of(instruction, warp, pick(lines) * 128 + pick(4) * 32,
                                  shape == 0   ? 0
                                  : shape == 1 ? 8 * bytes
                                               : bytes,
                                  bytes, pick(6) == 0 ? 0xffff0 : ~0u);
        std::array<uint64_t, 32> lanes;
        if (shape > 3) {
          access.shape = AccessShape::scattered;
          for (size_t lane = 0; lane < 32; ++lane)
            lanes[lane] = access.first + apart[shape][lane] / 4 * std::max(4u, bytes) % 1024;
          access.first = lanes[static_cast<size_t>(std::countr_zero(access.mask))];
          access.addresses = lanes.data();
        }
        const uint32_t kind = shape << 1 | (access.mask == ~0u);
        const bool repeats = was_there[instruction] && shape_then[instruction] == kind;
        was_there[instruction] = true;
        shape_then[instruction] = kind;
        const uint32_t undefined = is_store && pick(12) == 0 ? random() & access.mask : 0;
        const Outcome a = is_store ? with.store(access, undefined, repeats) : with.load(access, repeats);
        const Outcome b =
            is_store ? without.store(access, undefined, repeats && !is_plain) : without.load(access, repeats);
        REQUIRE(a == b);
        races += a.raced;
        met += a.race.copy != observe::SharedRace::Copy::none;
        ended = is_plain && a.raced;
      }
    }
    logged += with.logged;
    added += with.added;
  }
  CHECK(logged > 10000);
  CHECK(added > 1000);
  CHECK(races > 1000);
  CHECK(met > 1000);
}
