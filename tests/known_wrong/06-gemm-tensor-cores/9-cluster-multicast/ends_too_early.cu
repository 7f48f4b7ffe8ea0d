// expect: OUT OF BOUNDS
// The producer does not wait at its end: a block may have ended while the other still arrives in
// its memory.
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4;
constexpr int kCluster = 2;  // blocks one above the other, with the same columns of C
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

// A cluster's pairs of tiles are first, first + stride, ... of all, row by row.
struct Work {
  int pairs_n, pairs, steps;
  int first = blockIdx.x / kCluster, stride = gridDim.x / kCluster, rank = blockIdx.x % kCluster;
  __device__ Work(int m, int n, int k)
      : pairs_n((n + kTileN - 1) / kTileN),
        pairs((m + kTileM * kCluster - 1) / (kTileM * kCluster) * pairs_n),
        steps((k + kTileK - 1) / kTileK) {}
  __device__ int row(int pair) const { return (pair / pairs_n * kCluster + rank) * kTileM; }
  __device__ int col(int pair) const { return pair % pairs_n * kTileN; }
};

__device__ void produce(Shared& shared, const CUtensorMap* map_a, const CUtensorMap* map_b,
                        const Work& work) {
  PipelineState at;
  const int half = work.rank * kTileN / kCluster;  // the rows of B that this block loads
  for (int pair = work.first; pair < work.pairs; pair += work.stride)
    for (int step = 0; step < work.steps; ++step, at.advance()) {
      uint64_t* full = &shared.full[at.stage];
      wait(&shared.empty[at.stage], at.parity ^ 1);
      expect_bytes(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load(shared.a[at.stage], map_a, step * kTileK, work.row(pair), full);
      tma_load_multicast(3, shared.b[at.stage] + half * kTileK, map_b, step * kTileK,
                         work.col(pair) + half, full);
    }
  // The other block may still arrive at these barriers: end only after that.
}

// Each warp reports the end of its own MMAs to both blocks: lane 0 to block 0, lane 1 to block 1.
__device__ void release(Shared& shared, int stage) {
  if (threadIdx.x % 32 < kCluster) arrive_remote(&shared.empty[stage], threadIdx.x % 32);
}

__device__ void consume(Shared& shared, __nv_bfloat16* c, int m, int n, const Work& work) {
  PipelineState at;
  const int group = threadIdx.x / 128;
  float d[128];  // accumulators: this thread's part of 64 x 256
  for (int pair = work.first; pair < work.pairs; pair += work.stride) {
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
    store_accumulators(d, c, work.row(pair) + group * 64, work.col(pair), m, n);
  }
}

__global__ void __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1)
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
      init(&shared.empty[i], 4 * kConsumers * kCluster);  // warps
    }
    fence_barrier_init();
  }
  sync_cluster();  // no block arrives at a barrier that is not initialised yet
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
  const int pairs = (n + kTileN - 1) / kTileN * ((m + kTileM * kCluster - 1) / (kTileM * kCluster));
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int most = processors / kCluster, clusters = pairs < most ? pairs : most;
  cudaFuncSetAttribute(multiply_in_pairs, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_in_pairs<<<clusters * kCluster, kThreads, kSharedBytes, stream>>>(
      tensor_map(a, m, k, kTileM), tensor_map(b, n, k, kTileN / kCluster), c, m, n, k);
}
