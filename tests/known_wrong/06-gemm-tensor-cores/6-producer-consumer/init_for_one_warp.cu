// expect: DEADLOCK
// finding: deadlock.mbarrier_overrun
// `empty` is initialised for one arrival per phase, and four warps arrive: the phases run ahead of the producer.
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 64, kStages = 3;
constexpr int kThreads = 256;  // a consumer and a producer

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

__device__ void consume(Shared& shared, __nv_bfloat16* c, int row0, int col0, int m, int n,
                        int steps) {
  PipelineState at;
  float d[2][64];   // accumulators of rows 0-63 and 64-127 of the tile, 64 x 128 each
  int before = -1;  // the stage whose MMAs may still execute
  for (int step = 0; step < steps; ++step, at.advance()) {
    const __nv_bfloat16 *a = shared.a[at.stage], *b = shared.b[at.stage];
    wait(&shared.full[at.stage], at.parity);
    wgmma_fence();
    for (int i = 0; i < kTileK / 16; ++i) {
      wgmma(d[0], smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
      wgmma(d[1], smem_desc(a + 64 * kTileK) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
    }
    wgmma_commit();
    wgmma_wait_all_but_last();
    if (before >= 0) release(shared, before);
    before = at.stage;
  }
  wgmma_wait_all(d[0]);
  wgmma_wait_all(d[1]);
  store_accumulators(d[0], c, row0, col0, m, n);
  store_accumulators(d[1], c, row0 + 64, col0, m, n);
}

__global__ void __launch_bounds__(kThreads, 2)
    multiply_warp_specialised(const __grid_constant__ CUtensorMap map_a,
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
      init(&shared.empty[i], 1);  // the consumer's warps
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    warpgroup_reg_dealloc<40>();
    if (threadIdx.x == 128) produce(shared, &map_a, &map_b, row0, col0, steps);
  } else {
    warpgroup_reg_alloc<208>();
    consume(shared, c, row0, col0, m, n, steps);
  }
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  cudaFuncSetAttribute(multiply_warp_specialised, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_warp_specialised<<<grid, kThreads, kSharedBytes, stream>>>(
      tensor_map(a, m, k, kTileM), tensor_map(b, n, k, kTileN), c, m, n, k);
}
