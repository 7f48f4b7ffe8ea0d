// Lab 05, rung 11: the consumer warps. Rung 10's warp tiles, fed from the pipeline.
#pragma once

#include "pipeline.h"

// The float4 of A's four rows i .. i + 3 in a lane: the lane's rows are 4 kLanesM apart, and a
// block of 32 x 32 of the transposed A is 4096 bytes.
__device__ inline uint32_t offset_of_rows(int i) {
  const int row = i / 4 * kLanesM * 4;
  return row / 32 * 4096 + row % 32 * 4;
}

// One k: the outer product c += a x b, row by row. Columns alternate direction, so that a[i] is
// reused along the row and b[j] where the direction changes. When four rows are complete, their
// float4 of the next k replaces them in `a`.
__device__ inline void multiply(float (&c)[kRows][kCols], float (&a)[kRows],
                                const float (&b)[kCols], uint32_t next_a) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int jj = 0; jj < kCols; ++jj) {
      const int j = i % 2 ? kCols - 1 - jj : jj;
      c[i][j] = fmaf(a[i], b[j], c[i][j]);
    }
    if (i % 4 == 3) {
      const float4 v = load_shared_float4(next_a + offset_of_rows(i));
      a[i - 3] = v.x, a[i - 2] = v.y, a[i - 1] = v.z, a[i] = v.w;
    }
  }
}

__device__ inline void load_b(float (&b)[kCols], uint32_t from) {
#pragma unroll
  for (int j = 0; j < kCols; j += 4) {
    const float4 v = load_shared_float4(from + j * kLanesN * 4);
    b[j] = v.x, b[j + 1] = v.y, b[j + 2] = v.z, b[j + 3] = v.w;
  }
}

// Stores a thread's part of a tile, or adds it to what another block stored. Unaligned: one float
// at a time.
template <bool kAligned>
__device__ void store_tile(const float (&acc)[kRows][kCols], float* c, int m, int n, int row,
                           int col, bool add) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int r = row + i / 4 * kLanesM * 4 + i % 4;
    if (r >= m) continue;
#pragma unroll
    for (int j = 0; j < kCols; j += 4) {
      const int first = col + j * kLanesN;
      float* const four = c + static_cast<size_t>(r) * n + first;
      if constexpr (kAligned) {
        if (first >= n) continue;
        float4* to = reinterpret_cast<float4*>(four);
        const float4 old = add ? __ldcg(to) : make_float4(0, 0, 0, 0);
        *to = make_float4(acc[i][j] + old.x, acc[i][j + 1] + old.y, acc[i][j + 2] + old.z,
                          acc[i][j + 3] + old.w);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (first + e < n) four[e] = acc[i][j + e] + (add ? __ldcg(four + e) : 0.0f);
      }
    }
  }
}

// 8 warps in 2 x 4 tiles of 64 x 64. A lane holds 16 rows (4 groups of 4, 16 apart) x 8 columns (2
// groups of 4, 32 apart).
template <typename Finish>
__device__ void consume(const Work& work, uint32_t base, Finish finish) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / 4 * 64 + lane / kLanesN * 4;  // in the tile
  const int col = warp % 4 * 64 + lane % kLanesN * 4;
  const uint32_t to_a = row / 32 * 4096 + row % 32 * 4, to_b = col * 4;
  float acc[kRows][kCols], a[kRows], b[2][kCols];
  Stage stage{base, 0};
  int parity = 0;
  wait(stage.loaded(), 0);
  wait(stage.ready(), 0);
#pragma unroll
  for (int i = 0; i < kRows / 4; ++i) {
    const float4 v = load_shared_float4(stage.a() + to_a + offset_of_rows(4 * i));
    a[4 * i] = v.x, a[4 * i + 1] = v.y, a[4 * i + 2] = v.z, a[4 * i + 3] = v.w;
  }
  load_b(b[0], stage.b() + to_b);
  uint32_t at_a = stage.a() + to_a, at_b = stage.b() + to_b;
  for (int item = work.begin; item < work.end;) {
    const int tile = item / work.k_steps, first = item % work.k_steps;
    const int steps = min(work.k_steps - first, work.end - item);
#pragma unroll
    for (int i = 0; i < kRows * kCols; ++i)
      acc[i / kCols][i % kCols] = 0;
    for (int step = 0; step < steps; ++step) {
      ++item;
      const Stage next{base, stage.index + 1 == kStages ? 0 : stage.index + 1};
      const uint32_t next_a = next.a() + to_a, next_b = next.b() + to_b;
      const int next_parity = next.index == 0 ? parity ^ 1 : parity;
#pragma unroll 4
      for (int k = 0; k < kTileK; k += 2) {
        load_b(b[1], at_b + (k + 1) * kTileN * 4);
        multiply(acc, a, b[0], at_a + (k + 1) * 128);
        const bool last = k + 2 == kTileK;
        if (last && item < work.end) {
          wait(next.loaded(), next_parity);
          wait(next.ready(), next_parity);
        }
        load_b(b[0], last ? next_b : at_b + (k + 2) * kTileN * 4);
        multiply(acc, a, b[1], last ? next_a : at_a + (k + 2) * 128);
      }
      __syncwarp();
      if (lane == 0) arrive(stage.empty());
      stage = next;
      at_a = next_a;
      at_b = next_b;
      parity = next_parity;
    }
    finish(acc, tile, first, first + steps, row, col);
  }
}
