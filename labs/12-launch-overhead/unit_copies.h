// Lab 12, rung 5: the units in which a warp reads weights, keys and values, and their copies to
// shared memory. There is nothing to edit.
//
// A unit is 4 KB: up to 2048 weights of one row, or 16 keys of a head and their values. The rows of
// a matrix go round the warps of the grid, and a row has one unit or several. Attention is split
// into items, a head and a part of its keys; items go round the blocks, and the warps of a block
// share an item's keys.
#pragma once

#include "model.h"

constexpr int kWarps = 16, kThreads = 32 * kWarps;  // one block per SM
constexpr int kPieces = 8;                          // 16-byte pieces per lane and unit
constexpr int kUnit = kPieces * 32 * 8;             // weights of a unit: 2048, 4 KB
constexpr int kKeys = 16;                           // keys of a unit, and as many values
constexpr int kStages = 3;                          // units per warp that are there or on the way

// A unit in shared memory. A lane reads only the pieces that it has copied itself, so it waits for
// no other thread's copies.
struct Stage {
  uint4 pieces[kPieces][32];  // [piece][lane]
};

// 16 bytes to shared memory without waiting, or 16 zeros.
__device__ inline void copy_async(uint4* to, const __nv_bfloat16* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}
__device__ inline void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// All groups of copies of this thread but the last `kGroups` have arrived.
template <int kGroups>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

// How the keys of a head are split. An item is a head and one of its splits.
struct Split {
  int splits;  // per head
  int steps;   // units per warp and item
};

__device__ inline Split split_of(const Model& model) {
  constexpr int kPerStep = kWarps * kKeys;
  const int all = (model.past + kPerStep - 1) / kPerStep;  // steps of a head
  const int most = max(1, min(static_cast<int>(gridDim.x) / model.heads(), all));
  const int steps = (all + most - 1) / most;
  return {(all + steps - 1) / steps, steps};
}

__device__ inline int warp_of_grid() {
  return blockIdx.x * kWarps + threadIdx.x / 32;
}
__device__ inline int warps_of_grid() {
  return gridDim.x * kWarps;
}

// The place of a unit: its row and the part of it that the unit has. In attention the row is an
// item, and its parts are the steps.
struct Place {
  int layer, phase, row, part;
};

// The first row of this warp, how many rows a phase has, how far the next one of this warp is, and
// how many units a row has.
__device__ inline int first_row(int phase) {
  return phase == kAttention ? blockIdx.x : warp_of_grid();
}
__device__ inline int rows_of(const Model& model, Split split, int phase) {
  if (phase == kAttention) return model.heads() * split.splits;
  return phase == kUp ? model.hidden : model.width;
}
__device__ inline int rows_at_once(int phase) {
  return phase == kAttention ? gridDim.x : warps_of_grid();
}
__device__ inline int parts_of(const Model& model, Split split, int phase) {
  if (phase == kAttention) return split.steps;
  return ((phase == kDown ? model.hidden : model.width) + kUnit - 1) / kUnit;
}

// Zeros beyond the row.
__device__ inline void start_weights(Stage& stage, const Matrix& matrix, int row, int part) {
  const int lane = threadIdx.x % 32;
  const __nv_bfloat16* from = matrix.weights + static_cast<int64_t>(row) * matrix.columns;
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
    const int column = part * kUnit + (32 * p + lane) * 8;
    const bool inside = column < matrix.columns;
    copy_async(&stage.pieces[p][lane], inside ? from + column : from, inside);
  }
}

// The first of the 16 keys that this warp has in a step of an item.
__device__ inline int first_key(Split split, int item, int step) {
  const int of_head = item % split.splits * split.steps + step;
  return (of_head * kWarps + static_cast<int>(threadIdx.x) / 32) * kKeys;
}

// 4 pieces of keys, 4 of values. Zeros beyond the last key.
__device__ inline void start_keys(Stage& stage, const Model& model, Split split, Place at) {
  const int lane = threadIdx.x % 32, first = first_key(split, at.row, at.part);
  const int64_t head = static_cast<int64_t>(at.layer) * model.heads() + at.row / split.splits;
#pragma unroll
  for (int p = 0; p < kPieces / 2; ++p) {
    const int key = first + 4 * p + lane / 8;
    const bool inside = key < model.past;
    const int64_t from = (head * model.past + (inside ? key : 0)) * kHead + lane % 8 * 8;
    copy_async(&stage.pieces[p][lane], model.keys + from, inside);
    copy_async(&stage.pieces[kPieces / 2 + p][lane], model.values + from, inside);
  }
}

// Starts the copy of a unit. Its pieces arrive later: commit_copies(), and wait_for_copies().
__device__ inline void start_unit(Stage& stage, const Model& model, Split split, Place at) {
  if (at.phase == kAttention)
    start_keys(stage, model, split, at);
  else
    start_weights(stage, matrix_of(model, at.layer, at.phase), at.row, at.part);
}
