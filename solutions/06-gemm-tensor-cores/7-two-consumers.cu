// Two consumers, a tile of 128 x 256.
//
// A larger tile again: 128 x 256 computes 128 x 256 / (128 + 256) = 85 FMAs per loaded element,
// where 128 x 128 computes 64. Its accumulators are 32,768 floats, half of an SM's registers: too
// many for one warpgroup (256 per thread), so there are two consumers with 64 rows each, and one
// wgmma of 64 x 256 x 16 replaces two. The tensor cores can now choose between the MMAs of two
// warpgroups.
//
// One block of 384 threads per SM starts with 168 registers per thread: 24 + 2 x 240 = 504 = 3 x
// 168.
//
//     ./ridge grade 06-gemm-tensor-cores/7-two-consumers
//
// Hypothesis: rung 6 is limited by L2 traffic and by gaps between the MMAs of one warpgroup.
// What changed from rung 6: kTileN, two consumers with half of the rows each, and a stage is free
// when both have released it.
// What that bought: 88.7% instead of 81.7%.
// Measured on an H200: 88.7% of the best of cuBLAS (course/measured/nvidia-h200).
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
    multiply_two_consumers(const __grid_constant__ CUtensorMap map_a,
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
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  cudaFuncSetAttribute(multiply_two_consumers, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  multiply_two_consumers<<<grid, kThreads, kSharedBytes, stream>>>(
      tensor_map(a, m, k, kTileM), tensor_map(b, n, k, kTileN), c, m, n, k);
}
