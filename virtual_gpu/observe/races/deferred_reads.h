// Loads from shared memory that count as reads only when their value matters
// (machine/decode/maskable_reads.h). Such a load is followed to the and.pred, or.pred or selp that
// uses or discards the value. For the race check, the lanes that use it have read, the others have
// not.
#pragma once

#include <array>
#include <vector>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe {

// The deferred reads of one running block.
class DeferredReads {
 public:
  void begin(size_t warps) {
    warps_.assign(warps, {});
    followed_ = 0;
  }
  // The path of a load whose check can be deferred; nullptr: check it immediately.
  static const machine::MaskableRead* path_of(const machine::Program& program, const machine::Access& access);
  // Returns false when it is not followed. Following a warp instruction by instruction costs much
  // more than a load; if a block has many such loads, later ones count as not read.
  bool add(const machine::Program& program, const machine::MaskableRead& path, const machine::Access& access,
           const void* frame, SharedShadow& shared);
  bool any(uint32_t warp) const { return !warps_.empty() && !warps_[warp].empty(); }
  // Called before an instruction of the warp. Returns true when a lane uses a value that was read
  // in a race; `access` and `race` describe it.
  bool before(const machine::Program& program, const std::byte* registers, const void* frame,
              const machine::SteppedInstruction& step, SharedShadow& shared,
              const std::vector<uint32_t>& sites, machine::Access& access, SharedRace& race);

 private:
  static constexpr uint32_t kMostFollowed = 32, kMostSteps = 512;

  struct Value {
    machine::RowOffset row = 0;
    uint32_t lanes = 0;
  };
  struct Read {
    const machine::MaskableRead* path = nullptr;
    machine::Access access;
    std::array<uint64_t, 32> addresses{};
    const void* frame = nullptr;
    std::vector<Value> values;  // by number in the path
    uint32_t stamp = 0;         // of the warp at the time of the load
    uint32_t steps_left = kMostSteps;
    // Lanes that raced with an earlier write, and its writers.
    uint32_t racing = 0;
    std::array<Cell, 32> writers{};
  };
  static uint32_t used_lanes(const std::byte* registers, const Read& read, const machine::MaskableRead::Step& step,
                             const machine::MicroOp& op, std::string_view opcode);
  static bool confirm(Read& read, uint32_t lanes, SharedShadow& shared, uint32_t site, machine::Access& access,
                      SharedRace& race);

  std::vector<std::vector<Read>> warps_;
  uint32_t followed_ = 0;
};

}  // namespace ridge::observe
