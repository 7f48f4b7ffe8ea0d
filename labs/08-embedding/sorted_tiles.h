// Lab 08, rung 6: what is at hand when tiles of sorted entries are added up. There is nothing to
// edit.
#pragma once

#include "sort_by_row.h"
#include "vector_reduction.h"

constexpr int kTile = 64, kInFlight = 8;  // entries per warp, of them in flight

__device__ inline void update(float* row, float4 sum, float rate) {
  float4 old = *reinterpret_cast<const float4*>(row);
  add(old, scaled(sum, -rate));
  *reinterpret_cast<float4*>(row) = old;
}

// Entry begin + k for lane k up to kInFlight: the entries of a step, and the one behind them.
__device__ inline Entry entry_of_lane(const Entry* sorted, int begin, int end) {
  const int lane = threadIdx.x % 32;
  return lane <= kInFlight && begin + lane < end ? sorted[begin + lane]
                                                 : Entry{kPadding, 0xffffffff};
}

// Lane k < kInFlight brings the row of its entry to L2: 128 columns from c on.
__device__ inline void prefetch_row(const float* table, const Entry& mine, int cols, int c) {
  if (threadIdx.x % 32 >= kInFlight || mine.row == 0xffffffff) return;
  const float* row = table + static_cast<int64_t>(mine.row) * cols;
  for (int sector = c; sector < min(c + 128, cols); sector += 32)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(row + sector));
}

// Does a run begin in this tile and go on in the next one?
__device__ inline bool opens_run(const Entry* sorted, int lookups, int tile) {
  const int begin = tile * kTile, end = begin + kTile;
  if (end >= lookups || sorted[end].row != sorted[end - 1].row) return false;
  return begin == 0 || sorted[begin].row != sorted[end].row ||
         sorted[begin - 1].row != sorted[begin].row;
}
