// Lab 09, rung 7: layers with few outputs. There is nothing to edit here.
//
// A layer of 7 x 7 pixels, 32 images and 512 filters is 9 x 4 tiles of 192 x 128: 36 of 132 SMs
// have a tile, and each computes its whole sum. *Split-K* shares the sum of a tile among the
// blocks of a cluster:
//
//     sum over C, R and S     72 k-steps: 24 for each of three blocks
//     partial sums            192 x 128 floats in the shared memory of each block
//     outputs                 a third for each block, which adds up the three partial sums
//
// The last step reads the shared memory of the other blocks (distributed shared memory), so nothing
// but y is written to global memory, and the order of the additions is always the same.
#pragma once

#include <array>

#include "copy_engine.h"
#include "hopper.cuh"

namespace split {

constexpr int kTileM = 192, kTileN = 128, kTileK = 64, kStages = 4, kConsumers = 3;
constexpr int kThreads = (kConsumers + 1) * 128;
constexpr int kMost = 8;        // blocks per tile: more need an attribute of the kernel
constexpr int kLeastSteps = 6;  // of a block: with fewer, adding up costs what is saved
constexpr int kPitch = kTileN + 8;  // floats per row of the partial sums: rows lie in other banks

struct Shared {
  union {
    struct {
      alignas(1024) __nv_bfloat16 pixels[kStages][kTileM * kTileK];   // swizzled
      alignas(1024) __nv_bfloat16 filters[kStages][kTileN * kTileK];  // swizzled
    };
    float sums[kTileM][kPitch];  // when the last MMA has ended
  };
  uint64_t full[kStages], empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

struct PipelineState {  // the current stage and the parity of its phase
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

// The tile of this block's cluster, and this block's part of its k-steps.
struct Part {
  int row0, col0, begin, end, rank, blocks;

  __host__ __device__ static int steps_of(const Shape& s) {
    return s.r * s.r * ((s.c + kTileK - 1) / kTileK);
  }
  __device__ Part(const Shape& s, int blocks_per_tile)
      : rank(blockIdx.x % blocks_per_tile), blocks(blocks_per_tile) {
    const int across = (s.k + kTileN - 1) / kTileN, tile = blockIdx.x / blocks, steps = steps_of(s);
    row0 = tile / across * kTileM;
    col0 = tile % across * kTileN;
    begin = steps * rank / blocks;
    end = steps * (rank + 1) / blocks;
  }
};

__device__ inline void produce(Shared& shared, const CUtensorMap* map_x,
                               const CUtensorMap* map_filter, const Shape& s, const Part& part) {
  PipelineState at;
  const int q = part.row0 % s.q, p = part.row0 / s.q % s.p, image = part.row0 / s.q / s.p;
  const int row = p * s.stride - s.padding, column = q * s.stride - s.padding;
  const int per_point = (s.c + kTileK - 1) / kTileK;
  for (int step = part.begin; step < part.end; ++step, at.advance()) {
    const int point = step / per_point, channel = step % per_point * kTileK;
    uint64_t* full = &shared.full[at.stage];
    wait(&shared.empty[at.stage], at.parity ^ 1);
    expect_bytes(full, sizeof shared.pixels[0] + sizeof shared.filters[0]);
    tma_load_im2col(shared.pixels[at.stage], map_x, channel, column, row, image, point % s.r,
                    point / s.r, full);
    tma_load_filters(shared.filters[at.stage], map_filter, channel, point, part.col0, full);
  }
}

__device__ inline void consume(Shared& shared, float (&d)[64], int steps) {
  PipelineState at;
  const int group = threadIdx.x / 128;
  int before = -1;  // the stage whose MMAs may still execute
  for (int step = 0; step < steps; ++step, at.advance()) {
    const __nv_bfloat16 *a = shared.pixels[at.stage] + group * 64 * kTileK,
                        *b = shared.filters[at.stage];
    wait(&shared.full[at.stage], at.parity);
    wgmma_fence();
    for (int i = 0; i < kTileK / 16; ++i)
      wgmma(d, smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
    wgmma_commit();
    wgmma_wait_all_but_last();
    if (before >= 0 && threadIdx.x % 32 == 0) arrive(&shared.empty[before]);
    before = at.stage;
  }
  wgmma_wait_all(d);
}

// The accumulators of this thread, as they lie in the tile (see store_accumulators in hopper.cuh).
__device__ inline void keep_sums(Shared& shared, const float (&d)[64]) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 16; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float2*>(&shared.sums[row + 8 * half][8 * j + lane % 4 * 2]) =
          make_float2(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]);
}

// The float4 at `place` of block `rank` of the cluster.
__device__ inline float4 load_remote(const float* place, int rank) {
  float4 v;
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %4, %5; "
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote]; }"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "r"(shared_address(place)), "r"(rank)
      : "memory");
  return v;
}

// Adds up this block's part of the outputs over all blocks, 4 at a time, and stores them.
__device__ inline void add_parts(const Shared& shared, __nv_bfloat16* y, const Shape& s,
                                 const Part& part) {
  constexpr int kVectors = kTileN / 4;  // of a row
  for (int i = part.rank * kThreads + threadIdx.x; i < kTileM * kVectors;
       i += part.blocks * kThreads) {
    const int line = i / kVectors, column = i % kVectors * 4;
    if (part.row0 + line >= s.pixels() || part.col0 + column >= s.k) continue;
    float4 sum = {};
    for (int block = 0; block < part.blocks; ++block) {
      const float4 v = load_remote(&shared.sums[line][column], block);
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    const __nv_bfloat162 two[] = {__floats2bfloat162_rn(sum.x, sum.y),
                                  __floats2bfloat162_rn(sum.z, sum.w)};
    *reinterpret_cast<uint2*>(y + static_cast<int64_t>(part.row0 + line) * s.k + part.col0 +
                              column) = *reinterpret_cast<const uint2*>(two);
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    convolve_split(const __grid_constant__ CUtensorMap map_x,
                   const __grid_constant__ CUtensorMap map_filter, __nv_bfloat16* y, const Shape s,
                   int blocks_per_tile) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const Part part(s, blocks_per_tile);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4 * kConsumers);  // warps
    }
    fence_barrier_init();
  }
  __syncthreads();
  float d[64];  // accumulators: this thread's part of 64 x 128
  if (threadIdx.x < 128 * kConsumers)
    consume(shared, d, part.end - part.begin);
  else if (threadIdx.x == 128 * kConsumers)
    produce(shared, &map_x, &map_filter, s, part);
  __syncthreads();  // no MMA reads the tiles any longer
  if (threadIdx.x < 128 * kConsumers) keep_sums(shared, d);
  sync_cluster();  // all partial sums are there
  add_parts(shared, y, s, part);
  sync_cluster();  // a block ends when nobody reads its shared memory
}

inline int tiles_of(const Shape& s) {
  return (s.k + kTileN - 1) / kTileN * ((s.pixels() + kTileM - 1) / kTileM);
}

// The launch of `clusters` tiles by `parts` blocks each; it refers to `cluster`.
inline cudaLaunchConfig_t launch_of(int clusters, int parts, cudaLaunchAttribute& cluster,
                                    cudaStream_t stream) {
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(parts), 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = clusters * parts;
  config.blockDim = kThreads;
  config.dynamicSmemBytes = kSharedBytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return config;
}

// Into how many parts the sum of a tile is split: as many as the GPU has room for at once, or 1. A
// cluster's SMs belong to one GPC of 16 or 18 SMs, so 132 SMs have room for 66 clusters of two
// blocks, and for 32 of four.
inline int parts_of(const Shape& s) {
  static const std::array<int, kMost + 1> room = [] {
    cudaFuncSetAttribute(convolve_split, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
    std::array<int, kMost + 1> clusters = {};
    for (int parts = 2; parts <= kMost; ++parts) {
      cudaLaunchAttribute cluster = {};
      const cudaLaunchConfig_t config = launch_of(1, parts, cluster, nullptr);
      cudaOccupancyMaxActiveClusters(&clusters[parts], convolve_split, &config);
    }
    return clusters;
  }();
  int parts = min(kMost, Part::steps_of(s) / kLeastSteps);
  while (parts > 1 && room[parts] < tiles_of(s))
    --parts;
  return max(parts, 1);
}

}  // namespace split

inline void convolve_split_sums(const __nv_bfloat16* x, const __nv_bfloat16* filter,
                                __nv_bfloat16* y, const Shape& s, int parts, cudaStream_t stream) {
  cudaLaunchAttribute cluster = {};
  const cudaLaunchConfig_t config = split::launch_of(split::tiles_of(s), parts, cluster, stream);
  cudaLaunchKernelEx(&config, split::convolve_split, tensor_map_im2col(x, s, split::kTileM),
                     tensor_map_filters(filter, s, split::kTileN), y, s, parts);
}
