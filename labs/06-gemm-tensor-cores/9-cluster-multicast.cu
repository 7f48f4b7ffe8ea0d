// Two blocks share B: TMA multicast in a cluster.
//
// Every SM of rung 8 loads its own A and its own B, though two tiles one above the other need the
// same B. A *cluster* is a group of blocks that run at the same time on neighbouring SMs and can
// access each other's shared memory; and the copy engine can write one box into all of them
// (multicast), with one read of L2. Two blocks, one above the other: each loads its own A and one
// half of B, and that half goes to both.
//
//     L2 ---- A of tile 0 ----> block 0 <---- half 0 of B, half 1 of B
//        ---- A of tile 1 ----> block 1 <---- the same two
//
// A block's stage is therefore also written by the other block's producer: it is free when the
// consumers of *both* have released it, and they must arrive at both blocks' barriers.
// `arrive_remote` is an arrival at the other block's barrier and sends no data. No block may end
// while the other can still arrive in its memory.
//
//     ./ridge grade 06-gemm-tensor-cores/9-cluster-multicast
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4;
constexpr int kConsumers = 2,
              kThreads = (kConsumers + 1) * 128;  // warpgroups: 64 rows each, and a producer

struct Shared {
  alignas(1024) __nv_bfloat16 a[kStages][kTileM * kTileK];  // [kTileM][kTileK], swizzled
  alignas(1024) __nv_bfloat16 b[kStages][kTileN * kTileK];  // [kTileN][kTileK], swizzled
  uint64_t full[kStages], empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

struct PipelineState {  // the current stage and the parity of its phase
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

// TODO (about 5 lines): pairs of tiles, of which block `rank` of the cluster computes the upper or
// the lower one. Both blocks visit all of their pairs, also where only the upper tile has rows of
// C. A block's tiles are first, first + stride, ... of all, row by row.
struct Work {
  int tiles_n, tiles, steps;
  int first = blockIdx.x, stride = gridDim.x;
  __device__ Work(int m, int n, int k)
      : tiles_n((n + kTileN - 1) / kTileN),
        tiles((m + kTileM - 1) / kTileM * tiles_n),
        steps((k + kTileK - 1) / kTileK) {}
  __device__ int row(int tile) const { return tile / tiles_n * kTileM; }
  __device__ int col(int tile) const { return tile % tiles_n * kTileN; }
};

__device__ void produce(Shared& shared, const CUtensorMap* map_a, const CUtensorMap* map_b,
                        const Work& work) {
  PipelineState at;
  for (int tile = work.first; tile < work.tiles; tile += work.stride)
    for (int step = 0; step < work.steps; ++step, at.advance()) {
      uint64_t* full = &shared.full[at.stage];
      wait(&shared.empty[at.stage], at.parity ^ 1);
      expect_bytes(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load(shared.a[at.stage], map_a, step * kTileK, work.row(tile), full);
      // TODO (2 lines): half of B's rows, for both blocks: tma_load_multicast().
      tma_load(shared.b[at.stage], map_b, step * kTileK, work.col(tile), full);
    }
}

// TODO (1 line): lane 0 of each warp arrives at block 0, lane 1 at block 1. And at the end of
// `produce` (2 lines): wait until both have released every stage. Each warp reports the end of its
// own MMAs.
__device__ void release(Shared& shared, int stage) {
  if (threadIdx.x % 32 == 0) arrive(&shared.empty[stage]);
}

__device__ void consume(Shared& shared, __nv_bfloat16* c, int m, int n, const Work& work) {
  PipelineState at;
  const int group = threadIdx.x / 128;
  float d[128];  // accumulators: this thread's part of 64 x 256
  for (int tile = work.first; tile < work.tiles; tile += work.stride) {
    int before = -1;  // the stage whose MMAs may still execute
    for (int step = 0; step < work.steps; ++step, at.advance()) {
      const __nv_bfloat16 *a = shared.a[at.stage] + group * 64 * kTileK, *b = shared.b[at.stage];
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
    store_accumulators(d, c, work.row(tile) + group * 64, work.col(tile), m, n);
  }
}

// TODO: clusters of 2 (__cluster_dims__).
__global__ void __launch_bounds__(kThreads, 1)
    multiply_in_pairs(const __grid_constant__ CUtensorMap map_a,
                      const __grid_constant__ CUtensorMap map_b,
                      __nv_bfloat16* c,  // [m][n]
                      int m, int n, int k) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const Work work(m, n, k);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      // TODO: twice as many warps.
      init(&shared.empty[i], 4 * kConsumers);  // warps
    }
    fence_barrier_init();
  }
  // TODO: the other block too: sync_cluster().
  __syncthreads();
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers) produce(shared, &map_a, &map_b, work);
  } else {
    warpgroup_reg_alloc<240>();
    consume(shared, c, m, n, work);
  }
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  // TODO (about 4 lines): clusters for pairs of tiles; boxes of B with half the rows.
  const int tiles = (n + kTileN - 1) / kTileN * ((m + kTileM - 1) / kTileM);
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int blocks = tiles < processors ? tiles : processors;
  cudaFuncSetAttribute(multiply_in_pairs, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_in_pairs<<<blocks, kThreads, kSharedBytes, stream>>>(
      tensor_map(a, m, k, kTileM), tensor_map(b, n, k, kTileN), c, m, n, k);
}
