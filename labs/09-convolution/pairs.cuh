// Lab 09, rung 7: the kernel of rung 6 for layers with many channels, with three additions. There
// is nothing to edit here.
//
//   - Blocks are persistent, as in rung 8 of lab 06: each computes several tiles.
//   - Two blocks that need the same pixels for different filters are a cluster, if there are more
//     than 128 filters. Each loads half of the pixels for both (multicast), as in its rung 9.
//   - Results leave through shared memory and the copy engine, as in its rung 10.
#pragma once

#include "copy_engine.h"
#include "hopper.cuh"
#include "split.cuh"

// Starts d (64 x 64) = a (64 x 16) * b^T (b: 64 x 16), plus the old d if `add`.
__device__ inline void wgmma(float (&d)[32], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %34, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
      "}, %32, %33, add, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// tma_load_im2col for every block of the cluster whose bit is set in `blocks`.
__device__ inline void tma_load_im2col_multicast(uint16_t blocks, void* to, const CUtensorMap* map,
                                                 int channel, int column, int row, int image,
                                                 int point_j, int point_i, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(
          shared_address(to)),
      "l"(map), "r"(channel), "r"(column), "r"(row), "r"(image), "r"(shared_address(bar)),
      "h"(static_cast<uint16_t>(point_j)), "h"(static_cast<uint16_t>(point_i)), "h"(blocks)
      : "memory");
}

// kConsumers warpgroups of 64 pixels each, kTileN filters; kBlocks: 2 for pairs, else 1.
template <int kConsumers, int kTileN, int kBlocks>
struct PairTiles {
  static constexpr int kTileM = kConsumers * 64, kTileK = 64, kStages = 4;
  static constexpr int kThreads = (kConsumers + 1) * 128;

  struct Shared {
    alignas(1024) __nv_bfloat16 pixels[kStages][kTileM * kTileK];   // [kTileM][kTileK], swizzled
    alignas(1024) __nv_bfloat16 filters[kStages][kTileN * kTileK];  // [kTileN][kTileK], swizzled
    alignas(1024) __nv_bfloat16 y[kConsumers][64 * 64];             // a box each, swizzled
    uint64_t full[kStages], empty[kStages];
  };
  static constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

  struct PipelineState {  // the current stage and the parity of its phase
    int stage = 0, parity = 0;
    __device__ void advance() {
      if (++stage == kStages) stage = 0, parity ^= 1;
    }
  };

  // A cluster's tiles are first, first + stride, ... of all; filters count fastest.
  struct Work {
    int across, tiles, steps;
    int first = blockIdx.x / kBlocks, stride = gridDim.x / kBlocks, rank = blockIdx.x % kBlocks;
    __host__ __device__ static int across_of(int k) {
      return (k + kTileN * kBlocks - 1) / (kTileN * kBlocks);
    }
    __host__ __device__ static int tiles_of(const Shape& s) {
      return across_of(s.k) * ((s.pixels() + kTileM - 1) / kTileM);
    }
    __device__ explicit Work(const Shape& s)
        : across(across_of(s.k)),
          tiles(tiles_of(s)),
          steps(s.r * s.r * ((s.c + kTileK - 1) / kTileK)) {}
    __device__ int row(int tile) const { return tile / across * kTileM; }
    __device__ int col(int tile) const { return (tile % across * kBlocks + rank) * kTileN; }
  };

  __device__ static void produce(Shared& shared, const CUtensorMap* map_x,
                                 const CUtensorMap* map_filter, const Shape& s, const Work& work) {
    constexpr int kPart = kTileM / kBlocks;  // the pixels that this block loads, for all blocks
    PipelineState at;
    for (int tile = work.first; tile < work.tiles; tile += work.stride) {
      const int pixel = work.row(tile) + work.rank * kPart;
      const int q = pixel % s.q, p = pixel / s.q % s.p, image = pixel / s.q / s.p;
      const int row = p * s.stride - s.padding, column = q * s.stride - s.padding;
      for (int point = 0; point < s.r * s.r; ++point)
        for (int channel = 0; channel < s.c; channel += kTileK, at.advance()) {
          uint64_t* full = &shared.full[at.stage];
          __nv_bfloat16* pixels = shared.pixels[at.stage] + work.rank * kPart * kTileK;
          wait(&shared.empty[at.stage], at.parity ^ 1);
          expect_bytes(full, sizeof shared.pixels[0] + sizeof shared.filters[0]);
          if (kBlocks == 1)
            tma_load_im2col(pixels, map_x, channel, column, row, image, point % s.r, point / s.r,
                            full);
          else
            tma_load_im2col_multicast(3, pixels, map_x, channel, column, row, image, point % s.r,
                                      point / s.r, full);
          tma_load_filters(shared.filters[at.stage], map_filter, channel, point, work.col(tile),
                           full);
        }
    }
    // The other block may still arrive at these barriers: end only after that.
    for (int i = 0; i < kStages; ++i, at.advance())
      wait(&shared.empty[at.stage], at.parity ^ 1);
  }

  // Each warp reports the end of its own MMAs to all blocks of the cluster.
  __device__ static void release(Shared& shared, int stage) {
    if (threadIdx.x % 32 < kBlocks) {
      if (kBlocks == 1)
        arrive(&shared.empty[stage]);
      else
        arrive_remote(&shared.empty[stage], threadIdx.x % 32);
    }
  }

  __device__ static void consume(Shared& shared, const CUtensorMap* map_y, const Work& work) {
    PipelineState at;
    const int group = threadIdx.x / 128;
    float d[kTileN / 2];  // accumulators: this thread's part of 64 x kTileN
    for (int tile = work.first; tile < work.tiles; tile += work.stride) {
      int before = -1;  // the stage whose MMAs may still execute
      for (int step = 0; step < work.steps; ++step, at.advance()) {
        const __nv_bfloat16 *a = shared.pixels[at.stage] + group * 64 * kTileK,
                            *b = shared.filters[at.stage];
        wait(&shared.full[at.stage], at.parity);
        wgmma_fence();
        for (int i = 0; i < kTileK / 16; ++i)
          wgmma(d, smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
        wgmma_commit();
        wgmma_wait_all_but_last();
        if (before >= 0) release(shared, before);
        before = at.stage;
      }
      wgmma_wait_all(d);
      release(shared, before);
      store_by_copy_engine(d, shared.y[group], map_y, work.row(tile) + group * 64, work.col(tile));
    }
    if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  }
};

template <int kConsumers, int kTileN, int kBlocks>
__global__ void __cluster_dims__(kBlocks) __launch_bounds__((kConsumers + 1) * 128, 1)
    convolve_pairs(const __grid_constant__ CUtensorMap map_x,
                   const __grid_constant__ CUtensorMap map_filter,
                   const __grid_constant__ CUtensorMap map_y, const Shape s) {
  using Tiles = PairTiles<kConsumers, kTileN, kBlocks>;
  extern __shared__ unsigned char memory[];
  auto& shared = aligned_1024<typename Tiles::Shared>(memory);
  const typename Tiles::Work work(s);
  if (threadIdx.x == 0) {
    for (int i = 0; i < Tiles::kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4 * kConsumers * kBlocks);  // warps
    }
    fence_barrier_init();
  }
  sync_cluster();  // no block arrives at a barrier that is not initialised yet
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers) Tiles::produce(shared, &map_x, &map_filter, s, work);
  } else {
    warpgroup_reg_alloc<kConsumers == 3 ? 160 : 112>();
    Tiles::consume(shared, &map_y, work);
  }
}

inline int multiprocessors() {
  int device = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

template <int kConsumers, int kTileN, int kBlocks>
void launch_pairs(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                  const Shape& s, cudaStream_t stream) {
  using Tiles = PairTiles<kConsumers, kTileN, kBlocks>;
  const int tiles = Tiles::Work::tiles_of(s), most = multiprocessors() / kBlocks;
  const int rounds = (tiles + most - 1) / most, clusters = (tiles + rounds - 1) / rounds;
  const auto kernel = convolve_pairs<kConsumers, kTileN, kBlocks>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tiles::kSharedBytes);
  kernel<<<clusters * kBlocks, Tiles::kThreads, Tiles::kSharedBytes, stream>>>(
      tensor_map_im2col(x, s, Tiles::kTileM / kBlocks), tensor_map_filters(filter, s, kTileN),
      tensor_map(y, s.pixels(), s.k, 64), s);
}

// The whole convolution, with a tile that suits the number of filters, or with split sums if there
// are few tiles.
inline void convolve_many_channels(const __nv_bfloat16* x, const __nv_bfloat16* filter,
                                   __nv_bfloat16* y, const Shape& s, cudaStream_t stream) {
  if (const int parts = split::parts_of(s); parts > 1)
    convolve_split_sums(x, filter, y, s, parts, stream);
  else if (s.k <= 64)
    launch_pairs<4, 64, 1>(x, filter, y, s, stream);
  else if (s.k <= 128)
    launch_pairs<3, 128, 1>(x, filter, y, s, stream);
  else
    launch_pairs<3, 128, 2>(x, filter, y, s, stream);
}
