// wgmma of one warp in flight: what was issued and not yet waited for.
//
// A product is made when a warp of the warpgroup waits for its group and all four have issued it, with what
// shared memory holds then: overwriting an operand
// too early shows, as it may on a GPU. Until then its accumulators are kept here and their registers hold
// *undefined patterns*: NaNs that name the accumulator. Reading them too early gives NaN (or a huge integer). A copy of a
// register is a copy of its name, so compilers may move accumulators about between two products; when they
// arrive, every register with the name gets them.
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
  uint64_t ordinal = 0;  // of the warp's products, from 1
  uint64_t group = 0;
  size_t set = 0;
  std::array<std::array<uint32_t, kLanes>, 4> a;  // A from registers
};

struct WarpgroupQueue {
  // The accumulators of a chain of products: floats (f16 too, rounded) or integers, as tile_loops.h orders
  // them.
  struct Set {
    AlignedBytes values;
    uint32_t words = 0;    // registers
    uint32_t entries = 0;  // products not yet made
    AccumulatorType type = AccumulatorType::f32;
    uint32_t pc = 0;                 // of the first product
    const MatrixOp* last = nullptr;  // product
    // Whose registers `values` were delivered to, as long as no fence has come since; in this frame.
    const MatrixOp* delivered = nullptr;
    const Frame* frame = nullptr;
  };
  static constexpr size_t kMaxSets = 8;

  std::vector<WarpgroupEntry> entries;
  std::array<Set, kMaxSets> sets;
  uint64_t committed_groups = 0;
  uint64_t issued = 0;   // products so far
  uint64_t made = 0;     // of them; the same in all warps of a warpgroup
  uint64_t awaited = 0;  // the product up to which the warp waits; 0: it does not
  uint32_t wait_pc = 0;  // where it does, or did last
  uint32_t last_pc = 0;
  bool has_fenced = false;
  AlignedBytes products;  // of integers, before they are added

  // One that was issued and not yet waited for.
  const WarpgroupEntry& entry(uint64_t ordinal) const { return entries[ordinal - entries.front().ordinal]; }
};

inline constexpr size_t kWgmmaMaxGroups = 32;  // of 8 columns

// Names fit in what f32, f16x2 and s32 leave open: exponents all ones, both halves a NaN of f16 too.
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
