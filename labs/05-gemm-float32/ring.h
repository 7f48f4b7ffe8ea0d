// Lab 05, last rung: its sizes, its list of work, and the ring of stages in shared memory.
#pragma once

#include "copy_engine.h"

constexpr int kTileM = 128, kTileN = 256, kTileK = 32;  // of C, and along k a stage
constexpr int kStages = 4, kAhead = kStages - 2;        // stages that loads run ahead of the turning of A
constexpr int kRows = 16, kCols = 8;                    // accumulators: 4 quads of rows x 2 quads of columns
constexpr int kLanesM = 64 / kRows, kLanesN = 64 / kCols;  // lanes of a warp: 4 x 8, its tile 64 x 64
constexpr int kBytesA = kTileM * kTileK * 4, kBytesB = kTileK * kTileN * 4;
constexpr int kConsumerWarps = 8, kThreads = 384;  // two consumer warpgroups, one of producers
constexpr int kConsumerRegisters = 200, kProducerRegisters = 504 - 2 * kConsumerRegisters;
constexpr int kGroup = 8;  // tile rows that are taken together, for the L2
constexpr int kSharedBytes = kStages * (kBytesA + kBytesB + 3 * 8) + 1024;  // 1024: to align the stages
constexpr int kMostBlocks = 1024;

// The k-steps of all tiles of C in one list, tile after tile; this block does items [begin, end) of it.
struct Work {
  int tiles_m, tiles_n, k_steps, piece, begin, end;

  template <typename PieceOf>
  __device__ Work(int m, int n, int k, PieceOf piece_of)
      : tiles_m((m + kTileM - 1) / kTileM),
        tiles_n((n + kTileN - 1) / kTileN),
        k_steps((k + kTileK - 1) / kTileK) {
    const long long all = 1LL * tiles_m * tiles_n * k_steps;
    piece = gridDim.x - 1 - blockIdx.x;  // backwards: a block waits only for one that was started before it
    begin = piece_of(all, piece);
    end = piece_of(all, piece + 1);
  }
  __device__ int2 corner(int tile) const {  // its first column and row
    const int group = tile / (kGroup * tiles_n), in_group = tile % (kGroup * tiles_n);
    const int rows = min(kGroup, tiles_m - group * kGroup);
    return make_int2(in_group / rows * kTileN, (group * kGroup + in_group % rows) * kTileM);
  }
};

// Addresses of a stage in shared memory: a tile of A, one of B, and three barriers.
struct Stage {
  uint32_t base, index;
  __device__ uint32_t a() const { return base + index * kBytesA; }
  __device__ uint32_t b() const { return base + kStages * kBytesA + index * kBytesB; }
  // both tiles have landed
  __device__ uint32_t loaded() const { return base + kStages * (kBytesA + kBytesB) + index * 8; }
  // A is turned
  __device__ uint32_t ready() const { return loaded() + kStages * 8; }
  // everybody has finished with it
  __device__ uint32_t empty() const { return loaded() + kStages * 16; }
};

// One thread, before anybody else looks at them.
__device__ inline void init_stages(uint32_t base) {
  for (uint32_t i = 0; i < kStages; ++i) {
    init(Stage{base, i}.loaded(), 1);
    init(Stage{base, i}.ready(), 4);
    init(Stage{base, i}.empty(), kConsumerWarps);
  }
  asm volatile("fence.mbarrier_init.release.cluster;");
}

// The producer warpgroup: lane 0 of its first warp loads, all four turn A, a block of
// 32 x 32 a warp.
template <typename Turn>
__device__ void produce(const CUtensorMap* map_a, const CUtensorMap* map_b, const Work& work, uint32_t base,
                        Turn turn) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 - kConsumerWarps;
  const bool leader = warp == 0 && lane == 0;
  auto load = [&](int item) {
    const int2 at = work.corner(item / work.k_steps);
    const int k = item % work.k_steps * kTileK;
    const Stage stage{base, static_cast<uint32_t>(item - work.begin) % kStages};
    expect(stage.loaded(), kBytesA + kBytesB);
    load_box(stage.a(), map_a, k, at.y, stage.loaded());
    load_box(stage.b(), map_b, at.x, k, stage.loaded());
  };
  if (leader)
    for (int i = 0; i < kAhead && work.begin + i < work.end; ++i)
      load(work.begin + i);
  for (int item = work.begin; item < work.end; ++item) {
    const uint32_t n = item - work.begin;
    const Stage stage{base, n % kStages};
    if (leader && item + kAhead < work.end) {  // into the stage that held item n - 2
      if (n >= 2) wait(Stage{base, (n - 2) % kStages}.empty(), (n - 2) / kStages & 1);
      load(item + kAhead);
    }
    __syncwarp();
    wait(stage.loaded(), n / kStages & 1);
    for (int block = warp; block < kTileM / 32; block += 4)
      turn(stage.a() + block * 4096, lane);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the next write here is TMA's
    __syncwarp();
    if (lane == 0) arrive(stage.ready());
  }
}
