// Lab 11, rung 8: the matrix product of lab 06, rung 10, as far as it does not depend on where a
// tile goes. There is nothing to edit. Two blocks of a cluster compute a pair of tiles, one above
// the other; each has a producer warpgroup and two consumers of 64 rows.
#pragma once

#include "hopper.cuh"

constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4;
constexpr int kCluster = 2;          // blocks one above the other, with the same columns
constexpr int kBoxes = kTileN / 64;  // boxes of 64 x 64 that a consumer stores per tile
constexpr int kConsumers = 2, kThreads = (kConsumers + 1) * 128;

struct Shared {
  alignas(1024) __nv_bfloat16 a[kStages][kTileM * kTileK];  // [kTileM][kTileK], swizzled
  alignas(1024) __nv_bfloat16 b[kStages][kTileN * kTileK];  // [kTileN][kTileK], swizzled
  alignas(1024) __nv_bfloat16 c[kConsumers][2][64 * 64];    // two boxes each, swizzled
  uint64_t full[kStages], empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

struct PipelineState {  // the current stage and the parity of its phase
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__device__ inline void init_pipeline(Shared& shared) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4 * kConsumers * kCluster);  // warps
    }
    fence_barrier_init();
  }
  sync_cluster();  // no block arrives at a barrier that is not initialised yet
}

// One thread loads the operands of one tile: kTileM rows of a from `row`, kTileN rows of b from
// `col`, of which each block of the cluster loads a half for both.
__device__ inline void load_tile(Shared& shared, PipelineState& at, const CUtensorMap* map_a,
                                 const CUtensorMap* map_b, int row, int col, int steps) {
  const int half = blockIdx.x % kCluster * kTileN / kCluster;
  for (int step = 0; step < steps; ++step, at.advance()) {
    uint64_t* full = &shared.full[at.stage];
    wait(&shared.empty[at.stage], at.parity ^ 1);
    expect_bytes(full, sizeof shared.a[0] + sizeof shared.b[0]);
    tma_load(shared.a[at.stage], map_a, step * kTileK, row, full);
    tma_load_multicast(3, shared.b[at.stage] + half * kTileK, map_b, step * kTileK, col + half,
                       full);
  }
}
// After the last tile: the other block may still arrive at these barriers.
__device__ inline void drain_pipeline(Shared& shared, PipelineState& at) {
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

// Rounds the accumulators: two bf16 per register.
__device__ inline void round_tile(const float (&d)[128], uint32_t (&rounded)[64]) {
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const __nv_bfloat162 two = __floats2bfloat162_rn(d[2 * i], d[2 * i + 1]);
    rounded[i] = *reinterpret_cast<const uint32_t*>(&two);
  }
}

// The 16 bytes of this warpgroup's box with row `row` and piece `piece` (columns 8 piece to 8 piece
// + 7), swizzled.
__device__ inline uint4* piece_of(__nv_bfloat16* box, int row, int piece) {
  return reinterpret_cast<uint4*>(box + row * 64 + (piece ^ (row % 8)) * 8);
}

// Columns 64 box .. 64 box + 63 of this consumer's rounded tile to its box in shared memory.
__device__ inline __nv_bfloat16* fill_box(Shared& shared, const uint32_t (&rounded)[64], int box) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  const int line = threadIdx.x % 128 / 32 * 16 + lane % 16;  // the row whose address a lane passes
  __nv_bfloat16* const to = shared.c[group][box % 2];        // [64][64], swizzled
  if (threadIdx.x % 128 == 0) tma_store_wait_read<1>();
  sync_warpgroup(group);  // the box is free
#pragma unroll
  for (int j = 0; j < 4; ++j)  // 16 columns: two pieces, one for lanes 0-15 and one for 16-31
    stmatrix_x4(piece_of(to, line, 2 * j + lane / 16), rounded + box * 16 + j * 4);
  fence_proxy_async();
  sync_warpgroup(group);  // the box is full
  return to;
}

// Waits until everything that this thread has stored by TMA is written, also on other devices.
__device__ inline void tma_store_wait_written() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// A sum of 8 bf16 in float32.
struct SumOf8 {
  float sum[8] = {};
  __device__ void add(uint4 eight) {
    const auto* const pairs = reinterpret_cast<const __nv_bfloat162*>(&eight);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sum[2 * i] += __low2float(pairs[i]);
      sum[2 * i + 1] += __high2float(pairs[i]);
    }
  }
  __device__ uint4 rounded() const {
    uint4 eight;
    auto* const pairs = reinterpret_cast<__nv_bfloat162*>(&eight);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      pairs[i] = __floats2bfloat162_rn(sum[2 * i], sum[2 * i + 1]);
    return eight;
  }
};
