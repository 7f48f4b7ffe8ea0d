// Loads from shared memory that are only put down in a log: everything is found that would be found without.
#include <array>
#include <random>

#include "tests/catch.h"
#include "virtual_gpu/observe/discerning_observer.h"
#include "virtual_gpu/observe/read_patterns.h"
#include "virtual_gpu/observe/shared_shadow.h"

using namespace ridge;
using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::SyncPlace;
using observe::SharedRace;

namespace {

constexpr uint32_t kBytes = 8192, kWarps = 4, kInstructions = 16;
constexpr SyncPlace kBarrier{SyncPlace::Kind::block_barrier, 0, 0, 0};

struct Outcome {
  bool raced = false;
  SharedRace race;
  uint32_t undefined = 0;
};

bool operator==(const Outcome& a, const Outcome& b) {
  return a.raced == b.raced && a.undefined == b.undefined && a.race.thread == b.race.thread &&
         a.race.other_thread == b.race.other_thread && a.race.offset == b.race.offset &&
         a.race.other_site == b.race.other_site && a.race.other_writes == b.race.other_writes &&
         a.race.same_instruction == b.race.same_instruction && a.race.first_write == b.race.first_write &&
         a.race.copy == b.race.copy;
}

// A block's shadow, used as the core and the checks use it; `logs`: with the log.
class Block {
 public:
  explicit Block(bool logs, bool uninitialised = true) : shadow(logs ? &patterns : nullptr), logs_(logs) {
    shadow.begin(kBytes, kWarps, true, uninitialised);
  }

  Outcome load(Access access, bool repeats) {
    Outcome outcome;
    access.repeats = repeats;
    if (!repeats) patterns.changes(access.instruction);
    const observe::AccessPattern* pattern = nullptr;
    if (repeats) pattern = &patterns.of(access, access.instruction, [&] { shadow.forget_patterns(); });
    machine::QuietAccess quiet;
    if (logs_ && repeats) {
      quiet.pattern = pattern->id;
      quiet.below = pattern->below;
      quiet.bytes = pattern->span;
      const bool is_added = pattern->span <= 55 * 128 && shadow.log().add(quiet, access.first, access.warp);
      added += is_added;
      if (is_added || shadow.log_load(access, *pattern)) {
        ++logged;
        return outcome;
      }
    }
    machine::UndefinedLanes undefined;
    outcome.raced = shadow.load(access, access.instruction, pattern, undefined, outcome.race);
    outcome.undefined = undefined.lanes;
    if (!outcome.raced) outcome.race = {};
    return outcome;
  }

  Outcome store(Access access, uint32_t undefined_lanes = 0, bool repeats = false) {
    Outcome outcome;
    access.kind = AccessKind::store;
    access.repeats = repeats;
    if (!repeats) patterns.changes(access.instruction);
    const observe::AccessPattern* pattern = nullptr;
    if (repeats) pattern = &patterns.of(access, access.instruction, [&] { shadow.forget_patterns(); });
    machine::UndefinedLanes undefined;
    undefined.lanes = undefined_lanes;
    for (uint32_t& bytes : undefined.bytes)
      bytes = 1;
    outcome.raced = shadow.store(access, access.instruction, pattern, undefined, {}, nullptr, outcome.race);
    if (!outcome.raced) outcome.race = {};
    return outcome;
  }

  // cp.async: started, and landed when it was waited for.
  Outcome start_copy(const Access& access) {
    Outcome outcome;
    outcome.raced = shadow.copies_begin(access, access.instruction, outcome.race);
    if (!outcome.raced) outcome.race = {};
    return outcome;
  }
  Outcome end_copy(const Access& access) {
    shadow.copies_arrived(access);
    return store(access);
  }

  // The warps of `which` meet at a barrier of their own.
  void meet(uint32_t which, uint64_t phase, SyncPlace place = kBarrier) {
    place.phase = phase;
    for (uint32_t warp = 0; warp < kWarps; ++warp)
      if (which >> warp & 1) shadow.released(warp, place);
    for (uint32_t warp = 0; warp < kWarps; ++warp)
      if (which >> warp & 1) shadow.acquired(warp, ~0u, place);
  }

  observe::AccessPatterns patterns{kInstructions};
  observe::SharedShadow shadow;
  uint64_t logged = 0, added = 0;

 private:
  bool logs_;
};

Access access_of(uint32_t instruction, uint32_t warp, uint64_t base, int64_t stride, uint32_t bytes = 4,
                 uint32_t mask = ~0u) {
  Access access;
  access.instruction = instruction;
  access.space = machine::AccessSpace::shared;
  access.shape = stride == 0 ? AccessShape::uniform : AccessShape::strided;
  access.stride = stride;
  access.bytes = bytes;
  access.mask = mask;
  access.warp = warp;
  access.base = base;
  access.first = base + static_cast<uint64_t>(stride) * static_cast<uint64_t>(std::countr_zero(mask));
  return access;
}

Access row(uint32_t instruction, uint32_t warp, uint64_t line) {
  return access_of(instruction, warp, line * 128, 4);
}

// A load that repeats itself.
Outcome read(Block& block, uint32_t warp, uint64_t line) {
  block.load(row(1, warp, line), false);
  return block.load(row(1, warp, line), true);
}

// All of it written by warp 0, before a barrier.
void fill(Block& block) {
  for (uint64_t line = 0; line < kBytes / 128; ++line)
    REQUIRE_FALSE(block.store(row(0, 0, line)).raced);
  block.meet(0xf, 0);
}

}  // namespace

TEST_CASE("a load that repeats itself is put down in the log, and by the core alone from the second on") {
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

TEST_CASE("races are found through the log") {
  struct Case {
    const char* what;
    void (*act)(Block& block, std::vector<Outcome>& last);
    bool raced;
    uint32_t other_thread = 0;
    bool other_writes = false;
  };
  const Case cases[] = {
      {"a write after another warp's read",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(row(2, 2, 3)));
       },
       true, 32},
      {"a read after another warp's write",
       [](Block& b, std::vector<Outcome>& last) {
         b.store(row(2, 2, 3));
         last.push_back(read(b, 1, 3));
       },
       true, 64, true},
      {"a write after the same warp's read",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(row(2, 1, 3)));
       },
       false},
      {"a write of another line",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(row(2, 2, 4)));
         read(b, 1, 3);
       },
       false},
      {"a write after a barrier",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0xf, 1);
         last.push_back(b.store(row(2, 2, 3)));
       },
       false},
      {"a write after a barrier of other warps",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0xc, 7, {SyncPlace::Kind::block_barrier, 0, 1, 0});
         last.push_back(b.store(row(2, 2, 3)));
       },
       true, 32},
      {"a write after a barrier of the two warps",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0x6, 7, {SyncPlace::Kind::block_barrier, 0, 1, 0});
         last.push_back(b.store(row(2, 2, 3)));
       },
       false},
      {"a write of a warp that did not come to the barrier of two others",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0x6, 7, {SyncPlace::Kind::block_barrier, 0, 1, 0});
         last.push_back(b.store(row(2, 3, 3)));
       },
       true, 32},
      {"a write of another lane of the warp",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(access_of(2, 1, 3 * 128 + 31 * 4, -4)));
       },
       true, 32 + 31},
      {"a write of another lane of the warp after __syncwarp",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.shadow.warp_met(1, ~0u, ~0u);
         last.push_back(b.store(access_of(2, 1, 3 * 128 + 31 * 4, -4)));
       },
       false},
      {"a write of another warp after __syncwarp",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.shadow.warp_met(1, ~0u, ~0u);
         last.push_back(b.store(row(2, 2, 3)));
       },
       true, 32},
      {"two buffers that change places at barriers",
       [](Block& b, std::vector<Outcome>& last) {
         for (uint64_t turn = 1; turn < 9; ++turn) {
           for (uint32_t warp = 0; warp < kWarps; ++warp) {
             last.push_back(b.store(row(2, warp, turn % 2 * 8 + warp)));
             for (uint64_t line = 0; line < 4; ++line)
               last.push_back(b.load(row(1, warp, (turn + 1) % 2 * 8 + line), line != 0));
           }
           b.meet(0xf, turn);
         }
       },
       false},
      {"two buffers of which the wrong one is written",
       [](Block& b, std::vector<Outcome>& last) {
         for (uint64_t line = 0; line < 4; ++line)
           b.load(row(1, 0, line), line != 0);
         last.push_back(b.store(row(2, 1, 1)));
       },
       true, 0},
      {"a copy started after another warp's read",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.start_copy(row(2, 2, 3)));
       },
       true, 32},
      {"a copy started after a barrier, and another line read meanwhile",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0xf, 1);
         last.push_back(b.start_copy(row(2, 2, 3)));
         last.push_back(read(b, 1, 4));
       },
       false},
      {"a read, by the thread itself, of what its copy has not filled",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         read(b, 1, 4);
         last.push_back(read(b, 2, 3));
       },
       true, 64},
      {"a read after a barrier that no wait came before",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         b.meet(0xf, 1);
         read(b, 1, 4);
         last.push_back(read(b, 1, 3));
       },
       true, 32},
      {"a read after the wait and a barrier",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         last.push_back(b.end_copy(row(2, 2, 3)));
         b.meet(0xf, 1);
         last.push_back(read(b, 1, 3));
       },
       false},
      {"a read after the wait without a barrier",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         b.end_copy(row(2, 2, 3));
         last.push_back(read(b, 1, 3));
       },
       true, 64, true},
      {"a write of what a store beside the threads may still read",
       [](Block& b, std::vector<Outcome>& last) {
         b.shadow.mark_leaving(3 * 128, 128, 5);
         read(b, 1, 3);
         last.push_back(b.store(row(2, 1, 3)));
       },
       true, 32},
      {"a write after that store has read",
       [](Block& b, std::vector<Outcome>& last) {
         b.shadow.mark_leaving(3 * 128, 128, 5);
         b.shadow.copy_left(3 * 128, 128);
         read(b, 1, 4);
         last.push_back(b.store(row(2, 1, 3)));
       },
       false},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    Block with(true), without(false);
    std::vector<Outcome> last, exact;
    fill(with);
    fill(without);
    one.act(with, last);
    one.act(without, exact);
    if (!one.other_writes) CHECK(with.logged > 0);
    CHECK(last == exact);
    REQUIRE_FALSE(last.empty());
    CHECK(last.back().raced == one.raced);
    if (!one.raced) continue;
    CHECK(last.back().race.other_thread == one.other_thread);
    CHECK(last.back().race.other_writes == one.other_writes);
  }
}

TEST_CASE("a load that meets a byte which nobody has written is not put down") {
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

TEST_CASE("of a line that is written in part, what is written can be put down, and only that") {
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

TEST_CASE("a full log is entered, and a log that does not pay is given up") {
  Block block(true);
  fill(block);
  for (uint64_t k = 0; k < 40000; ++k)
    CHECK(block.load(row(1, 1, k % 8), k != 0) == Outcome{});
  CHECK_FALSE(block.shadow.logs());
  const Outcome outcome = block.store(row(2, 2, 3));
  CHECK(outcome.raced);
  CHECK(outcome.race.other_thread == 32);
}

TEST_CASE("with the log and without, the same is found whatever threads do") {
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
        with.shadow.warp_met(warp, mask, ~0u);
        without.shadow.warp_met(warp, mask, ~0u);
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
        met += a.race.copy != SharedRace::Copy::none;
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
