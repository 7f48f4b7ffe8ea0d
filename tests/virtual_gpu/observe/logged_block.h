// A block's shared memory with the log of loads, or without: what the core and the checks do with it.
#pragma once

#include <bit>

#include "tests/catch.h"
#include "virtual_gpu/observe/selective_observer.h"
#include "virtual_gpu/observe/counts/read_patterns.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe::test {

using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::SyncPlace;

inline constexpr uint32_t kBytes = 8192, kWarps = 4, kInstructions = 16;
inline constexpr SyncPlace kBarrier{SyncPlace::Kind::block_barrier, 0, 0, 0};

struct Outcome {
  bool raced = false;
  SharedRace race;
  uint32_t undefined = 0;
};

inline bool operator==(const Outcome& a, const Outcome& b) {
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
    const AccessPattern* pattern = nullptr;
    if (repeats) pattern = &patterns.of(access, access.instruction, [&] { shadow.clear_patterns(); });
    machine::ElidedAccess quiet;
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
    UndefinedLanes undefined;
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
    const AccessPattern* pattern = nullptr;
    if (repeats) pattern = &patterns.of(access, access.instruction, [&] { shadow.clear_patterns(); });
    UndefinedLanes undefined;
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

  AccessPatterns patterns{kInstructions};
  SharedShadow shadow;
  uint64_t logged = 0, added = 0;

 private:
  bool logs_;
};

inline Access access_of(uint32_t instruction, uint32_t warp, uint64_t base, int64_t stride,
                        uint32_t bytes = 4, uint32_t mask = ~0u) {
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

inline Access row(uint32_t instruction, uint32_t warp, uint64_t line) {
  return access_of(instruction, warp, line * 128, 4);
}

// A load that repeats itself.
inline Outcome read(Block& block, uint32_t warp, uint64_t line) {
  block.load(row(1, warp, line), false);
  return block.load(row(1, warp, line), true);
}

// All of it written by warp 0, before a barrier.
inline void fill(Block& block) {
  for (uint64_t line = 0; line < kBytes / 128; ++line)
    REQUIRE_FALSE(block.store(row(0, 0, line)).raced);
  block.meet(0xf, 0);
}

}  // namespace ridge::observe::test
