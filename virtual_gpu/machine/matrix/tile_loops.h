// The loops of a matrix product, compiled once per instruction set like the lane operations.
//
// Accumulators keep the order of registers: for each group of 8 columns four rows of 32 lanes (upper
// half even and odd columns, lower half even and odd columns); lane 4r+c has row r and columns 2c,
// 2c+1. Operands are *staged* in the same order before they are used, so that every lane of every
// vector does useful work:
//   A: [k][half][32]  the value of row r four times, for lanes 4r .. 4r+3
//   B: [group][k][8]  the four even columns, then the four odd ones; every eighth of a row of lanes
//                     uses the same four
#pragma once

#include <cstddef>
#include <cstdint>

#include "virtual_gpu/machine/matrix/element_type.h"

namespace ridge::machine {

inline constexpr size_t kStagedA = 64;  // floats of A for each k
inline constexpr size_t kStagedB = 8;   // of B for each k, per group
inline constexpr size_t kTile = 128;    // of the accumulators, per group

struct TileLoops {
  // Stages a core matrix of 128 bytes (for its half and its first k).
  void (*stage_a)(ElementType type, const void* core, float* staged);
  void (*stage_b)(ElementType type, const void* core, float* staged);
  // Converts its elements without reordering: [8][core_elements].
  void (*widen)(ElementType type, const void* core, float* out);
  // accumulators[group][128] += A B over `count` values of k, fused, in the order of k; NaN becomes
  // 0x7fffffff. `wide_range`: products may exceed the range of float (bf16, tf32).
  void (*multiply)(const float* a, const float* b, size_t count, size_t groups, float* accumulators,
                   bool wide_range);
  // Core matrices of 8 x 4 in the layout of registers: a[core * halves + half][32], b[core][32]; at
  // most 4 cores. sums: for each half the rows of the even and of the odd columns.
  void (*multiply_doubles)(const double* const* a, const double* const* b, size_t cores, size_t halves,
                           double* sums);
  // 8 x 8 elements of 16 bits.
  void (*transpose)(const void* core, void* out);
  // Converts two rows of 32 floats to one of pairs of f16, rounding to nearest even, and back.
  void (*pack_halves)(const float* even, const float* odd, uint32_t* packed);
  void (*unpack_halves)(const uint32_t* packed, float* even, float* odd);
};

const TileLoops& tile_loops();

}  // namespace ridge::machine
