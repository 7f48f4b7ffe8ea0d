// Persistent blocks.
//
// A block of rung 7 starts with nothing in flight and ends by storing C while its producer is idle;
// and an SM that has room for one block cannot start the next one earlier. So start as many blocks
// as there are SMs and let each compute several tiles: the pipeline continues across tiles, and
// while the consumers store one tile the producer already loads the next one's boxes.
//
//     ./ridge grade 06-gemm-tensor-cores/8-persistent
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

// TODO (about 12 lines): a struct that says which tiles this block computes, the blockIdx.x-th and
// every gridDim.x-th after it, and where a tile's rows and columns begin. TODO (2 lines): in
// `produce`, a loop over those tiles around the loop over k-steps. The pipeline state continues
// across tiles.
__device__ void produce(Shared& shared, const CUtensorMap* map_a, const CUtensorMap* map_b,
                        int row0, int col0, int steps) {
  PipelineState at;
  for (int step = 0; step < steps; ++step, at.advance()) {
    uint64_t* full = &shared.full[at.stage];
    wait(&shared.empty[at.stage], at.parity ^ 1);
    expect_bytes(full, sizeof shared.a[0] + sizeof shared.b[0]);
    tma_load(shared.a[at.stage], map_a, step * kTileK, row0, full);
    tma_load(shared.b[at.stage], map_b, step * kTileK, col0, full);
  }
}

// Each warp reports the end of its own MMAs.
__device__ void release(Shared& shared, int stage) {
  if (threadIdx.x % 32 == 0) arrive(&shared.empty[stage]);
}

// TODO (about 4 lines): the same loop here. Now every stage must be released, also the last of a
// tile.
__device__ void consume(Shared& shared, __nv_bfloat16* c, int row0, int col0, int m, int n,
                        int steps) {
  PipelineState at;
  const int group = threadIdx.x / 128;
  float d[128];     // accumulators: this thread's part of 64 x 256
  int before = -1;  // the stage whose MMAs may still execute
  for (int step = 0; step < steps; ++step, at.advance()) {
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
  store_accumulators(d, c, row0 + group * 64, col0, m, n);
}

__global__ void __launch_bounds__(kThreads, 1)
    multiply_persistent(const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b,
                        __nv_bfloat16* c,  // [m][n]
                        int m, int n, int k) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN,
            steps = (k + kTileK - 1) / kTileK;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4 * kConsumers);  // warps
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers) produce(shared, &map_a, &map_b, row0, col0, steps);
  } else {
    warpgroup_reg_alloc<240>();
    consume(shared, c, row0, col0, m, n, steps);
  }
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  // TODO (about 5 lines): as many blocks as the GPU has SMs (cudaDevAttrMultiProcessorCount), or
  // tiles if those are fewer.
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  cudaFuncSetAttribute(multiply_persistent, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_persistent<<<grid, kThreads, kSharedBytes, stream>>>(
      tensor_map(a, m, k, kTileM), tensor_map(b, n, k, kTileN), c, m, n, k);
}
