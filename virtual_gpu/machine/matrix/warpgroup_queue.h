// The wgmma of one warp in flight: issued and not yet waited for.
//
// A product is computed when a warp of the warpgroup waits for its group and all four have issued
// it, with the current content of shared memory: overwriting an operand too early is visible, as it
// may be on a GPU. Until then its accumulators are stored here, and their registers hold *undefined
// patterns*: NaNs that name the accumulator. Reading them too early gives NaN (or a huge integer).
// A copy of a register is a copy of its name, so compilers may move accumulators between two
// products; when the values are ready, every register with the name receives them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/warp/state.h"

namespace ridge::machine {

struct WarpgroupEntry {
  const MatrixOp* op = nullptr;
  const Frame* frame = nullptr;
  uint32_t pc = 0;
  uint64_t a_descriptor = 0, b_descriptor = 0;
  bool scale_d = true;
  uint64_t ordinal = 0;  // among the warp's products, from 1
  uint64_t group = 0;
  size_t set = 0;
  std::array<std::array<uint32_t, kLanes>, 4> a;  // A from registers
};

struct WarpgroupQueue {
  // The accumulators of a chain of products: floats (also for f16, rounded) or integers, in the
  // order of tile_loops.h.
  struct Set {
    AlignedBytes values;
    uint32_t words = 0;    // registers
    uint32_t entries = 0;  // products that are not computed yet
    AccumulatorType type = AccumulatorType::f32;
    uint32_t pc = 0;                 // of the first product
    const MatrixOp* last = nullptr;  // the last product
    // The product whose registers got `values`, and the frame of these registers; null from the next
    // fence on.
    const MatrixOp* delivered = nullptr;
    const Frame* frame = nullptr;
  };
  static constexpr size_t kMaxSets = 8;

  std::vector<WarpgroupEntry> entries;
  std::array<Set, kMaxSets> sets;
  uint64_t committed_groups = 0;
  uint64_t complete_groups = 0;  // those that the current or last wait covers
  uint64_t issued = 0;   // number of products so far
  uint64_t made = 0;     // number of computed ones; equal in all warps of a warpgroup
  uint64_t awaited = 0;  // the product for which the warp waits; 0: it does not wait
  uint32_t wait_pc = 0;  // position of the current or last wait
  uint32_t last_pc = 0;
  bool has_fenced = false;
  AlignedBytes products;  // products of integers before they are added

  // A product that was issued and not yet waited for.
  const WarpgroupEntry& entry(uint64_t ordinal) const { return entries[ordinal - entries.front().ordinal]; }
};

inline constexpr size_t kWgmmaMaxGroups = 32;  // of 8 columns each

// Names use the bits that are free in f32, f16x2 and s32 NaNs: all exponent bits set, both halves a
// NaN of f16 too.
inline constexpr uint32_t kUndefinedPattern = 0x7f807e00u, kUndefinedPatternMask = 0xfff8ff00u;
constexpr uint32_t undefined_pattern(size_t set, size_t word) {
  const auto name = static_cast<uint32_t>(set << 7 | word);  // 3 and 7 bits
  return kUndefinedPattern | (name >> 8) << 16 | (name & 0xffu);
}
constexpr bool is_undefined_pattern(uint32_t value) {
  return (value & kUndefinedPatternMask) == kUndefinedPattern && (value >> 16 & 7u) < 4;
}
constexpr uint32_t undefined_pattern_name(uint32_t value) {
  return (value >> 16 & 7u) << 8 | (value & 0xffu);
}

}  // namespace ridge::machine
