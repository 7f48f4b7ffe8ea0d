// Lab 05, rung 11: tile sizes, the list of work items, and the pipeline of stages in shared memory.
#pragma once

#include "gemm_float32.h"
#include "hopper.cuh"

constexpr int kTileM = 128, kTileN = 256, kTileK = 32;  // the tile of C, and the k-step of a stage
constexpr int kStages = 4,
              kAhead = kStages - 2;   // stages that loads run ahead of the transpose of A
constexpr int kRows = 16, kCols = 8;  // accumulators per thread: 4 float4 of rows x 2 of columns
constexpr int kLanesM = 64 / kRows,
              kLanesN = 64 / kCols;  // lanes of a warp: 4 x 8; its tile is 64 x 64
constexpr int kBytesA = kTileM * kTileK * 4, kBytesB = kTileK * kTileN * 4;
constexpr int kConsumerWarps = 8,
              kThreads = 384;  // two consumer warpgroups and a producer warpgroup
constexpr int kConsumerRegisters = 200, kProducerRegisters = 504 - 2 * kConsumerRegisters;
constexpr int kGroup = 8;  // rows of tiles that are computed together, for L2 reuse
constexpr int kSharedBytes =
    kStages * (kBytesA + kBytesB + 3 * 8) + 1024;  // 1024: to align the stages
constexpr int kMostBlocks = 1024;

__device__ inline float4 load_shared_float4(uint32_t from) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(from));
  return v;
}
__device__ inline void store_shared_float4(uint32_t to, float x, float y, float z, float w) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(x), "f"(y), "f"(z), "f"(w)
               : "memory");
}

// The k-steps of all tiles of C in one list, tile after tile; this block computes items [begin,
// end) of it.
struct Work {
  int tiles_m, tiles_n, k_steps, piece, begin, end;

  template <typename PieceOf>
  __device__ Work(int m, int n, int k, PieceOf piece_of)
      : tiles_m((m + kTileM - 1) / kTileM),
        tiles_n((n + kTileN - 1) / kTileN),
        k_steps((k + kTileK - 1) / kTileK) {
    const long long all = 1LL * tiles_m * tiles_n * k_steps;
    piece = gridDim.x - 1 -
            blockIdx.x;  // reversed: a block waits only for one that was started before it
    begin = piece_of(all, piece);
    end = piece_of(all, piece + 1);
  }
  __device__ int2 corner(int tile) const {  // the tile's first column and row
    const int group = tile / (kGroup * tiles_n), in_group = tile % (kGroup * tiles_n);
    const int rows = min(kGroup, tiles_m - group * kGroup);
    // down the columns of a group of kGroup rows of tiles
    return make_int2(in_group / rows * kTileN, (group * kGroup + in_group % rows) * kTileM);
  }
};

// Addresses of a stage in shared memory: a tile of A, a tile of B and three mbarriers.
struct Stage {
  uint32_t base, index;
  __device__ uint32_t a() const { return base + index * kBytesA; }
  __device__ uint32_t b() const { return base + kStages * kBytesA + index * kBytesB; }
  // both tiles have landed
  __device__ uint32_t loaded() const { return base + kStages * (kBytesA + kBytesB) + index * 8; }
  // A is transposed
  __device__ uint32_t ready() const { return loaded() + kStages * 8; }
  // all consumers have finished with it
  __device__ uint32_t empty() const { return loaded() + kStages * 16; }
};

// Executed by one thread, before any other thread uses the barriers.
__device__ inline void init_stages(uint32_t base) {
  for (uint32_t i = 0; i < kStages; ++i) {
    init(Stage{base, i}.loaded(), 1);
    init(Stage{base, i}.ready(), 4);
    init(Stage{base, i}.empty(), kConsumerWarps);
  }
  fence_barrier_init();
}

// What the copy engine loads from: A in boxes of kTileM x kTileK, B of kTileK x kTileN.
struct TensorMaps {
  CUtensorMap a, b;
};

// The producer warpgroup: lane 0 of its first warp starts the loads; each of its four warps
// transposes one 32 x 32 block of A.
template <typename Transpose>
__device__ void produce(const TensorMaps& maps, const Work& work, uint32_t base,
                        Transpose transpose) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 - kConsumerWarps;
  const bool leader = warp == 0 && lane == 0;
  auto load = [&](int item) {
    const int2 at = work.corner(item / work.k_steps);  // [column, row]
    const int k = item % work.k_steps * kTileK;
    const Stage stage{base, static_cast<uint32_t>(item - work.begin) % kStages};
    expect_bytes(stage.loaded(), kBytesA + kBytesB);
    tma_load(stage.a(), &maps.a, k, at.y, stage.loaded());
    tma_load(stage.b(), &maps.b, at.x, k, stage.loaded());
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
      transpose(stage.a() + block * 4096, lane);
    fence_proxy_async();  // the next write to this stage is the copy engine's
    __syncwarp();
    if (lane == 0) arrive(stage.ready());
  }
}
