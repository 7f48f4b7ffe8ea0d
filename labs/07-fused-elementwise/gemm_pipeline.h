// The matrix product of lab 06, rung 10, without what a consumer does with a finished tile: a
// producer that loads tiles with the copy engine, consumers that start MMAs, and stores of 64
// columns at a time under the MMAs of the next tile. There is nothing to edit.
#pragma once

#include "fused.h"
#include "hopper.cuh"

constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4;
constexpr int kCluster = 2;          // blocks one above the other, with the same columns of C
constexpr int kGroup = 8;            // rows of pairs: 2048 rows of C, as many as 8 columns of tiles
constexpr int kBoxes = kTileN / 64;  // boxes of 64 x 64 that a consumer stores per tile
constexpr int kConsumers = 2,
              kThreads = (kConsumers + 1) * 128;  // warpgroups: 64 rows each, and a producer

struct Shared {
  alignas(1024) __nv_bfloat16 a[kStages][kTileM * kTileK];  // [kTileM][kTileK], swizzled
  alignas(1024) __nv_bfloat16 b[kStages][kTileN * kTileK];  // [kTileN][kTileK], swizzled
  alignas(1024) __nv_bfloat16 c[kConsumers][2][64 * 64];    // two boxes each, swizzled
  __nv_bfloat162 bias[kConsumers][kTileN / 2];              // of the columns of the tile, in pairs
  uint64_t full[kStages], empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

struct PipelineState {  // the current stage and the parity of its phase
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

// A cluster's pairs of tiles are first, first + stride, ... of all.
struct Work {
  int pairs_m, pairs_n, pairs, steps;
  int first = blockIdx.x / kCluster, stride = gridDim.x / kCluster, rank = blockIdx.x % kCluster;
  __device__ Work(int m, int n, int k)
      : pairs_m((m + kTileM * kCluster - 1) / (kTileM * kCluster)),
        pairs_n((n + kTileN - 1) / kTileN),
        pairs(pairs_m * pairs_n),
        steps((k + kTileK - 1) / kTileK) {}
  // Groups of kGroup rows of pairs (the last may have fewer), each traversed down its columns.
  __device__ int group(int pair) const { return pair / (kGroup * pairs_n); }
  __device__ int height(int pair) const { return min(kGroup, pairs_m - group(pair) * kGroup); }
  __device__ int in_group(int pair) const { return pair % (kGroup * pairs_n); }
  __device__ int row(int pair) const {
    const int row_of_pairs = group(pair) * kGroup + in_group(pair) % height(pair);
    return (row_of_pairs * kCluster + rank) * kTileM;
  }
  __device__ int col(int pair) const {
    const int there = in_group(pair) / height(pair);
    return (group(pair) % 2 ? pairs_n - 1 - there : there) * kTileN;
  }
};

__device__ inline void produce(Shared& shared, const CUtensorMap* map_a, const CUtensorMap* map_b,
                               const Work& work) {
  PipelineState at;
  const int half = work.rank * kTileN / kCluster;  // the rows of B that this block loads
  for (int pair = work.first; pair < work.pairs; pair += work.stride)
    for (int i = 0; i < work.steps; ++i, at.advance()) {
      const int step =
          pair / work.stride % 2 ? work.steps - 1 - i : i;  // alternating direction along k
      uint64_t* full = &shared.full[at.stage];
      wait(&shared.empty[at.stage], at.parity ^ 1);
      expect_bytes(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load(shared.a[at.stage], map_a, step * kTileK, work.row(pair), full);
      tma_load_multicast(3, shared.b[at.stage] + half * kTileK, map_b, step * kTileK,
                         work.col(pair) + half, full);
    }
  // The other block may still arrive at these barriers: end only after that.
  for (int i = 0; i < kStages; ++i, at.advance())
    wait(&shared.empty[at.stage], at.parity ^ 1);
}

// Each warp reports the end of its own MMAs to both blocks: lane 0 to block 0, lane 1 to block 1.
__device__ inline void release(Shared& shared, int stage) {
  if (threadIdx.x % 32 < kCluster) arrive_remote(&shared.empty[stage], threadIdx.x % 32);
}

// Starts the MMAs of the stage at `at`.
__device__ inline void start_wgmma(float (&d)[128], Shared& shared, const PipelineState& at,
                                   bool add) {
  const __nv_bfloat16 *a = shared.a[at.stage] + threadIdx.x / 128 * 64 * kTileK,
                      *b = shared.b[at.stage];
  wait(&shared.full[at.stage], at.parity);
  wgmma_fence();
  for (int i = 0; i < kTileK / 16; ++i)
    wgmma(d, smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, add || i > 0);
  wgmma_commit();
}

// Waits for the previous stage's MMAs and releases that stage.
__device__ inline void retire_previous(Shared& shared, PipelineState& at, int& before) {
  wgmma_wait_all_but_last();
  if (before >= 0) release(shared, before);
  before = at.stage;
  at.advance();
}

// Stores columns 64 box .. 64 box + 63 of this consumer's rows; the tile begins at row, col of C.
__device__ inline void store_columns(Shared& shared, const uint32_t* rounded, int box,
                                     const CUtensorMap* map_c, int row, int col) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  const int line =
      threadIdx.x % 128 / 32 * 16 + lane % 16;   // the row whose address this lane passes
  __nv_bfloat16* to = shared.c[group][box % 2];  // [64][64], swizzled
  const bool leader = threadIdx.x % 128 == 0;
  if (leader) tma_store_wait_read<1>();
  sync_warpgroup(group);  // the box is free
#pragma unroll
  for (int j = 0; j < 4; ++j)  // 16 columns: two pieces of 8, one for lanes 0-15 and one for 16-31
    stmatrix_x4(to + line * 64 + ((2 * j + lane / 16) ^ (line % 8)) * 8,  // piece ^ row, swizzled
                rounded + box * 16 + j * 4);
  fence_proxy_async();
  sync_warpgroup(group);  // the box is full
  if (leader) tma_store(map_c, to, col + box * 64, row);
}
