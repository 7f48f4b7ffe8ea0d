// expect: SLOW
// The two halves one after the other: each loads all boxes again.
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 128, kTileN = 128,
              kTileK = 64;     // 64 bf16 along k: 128 bytes, the width of the swizzle
constexpr int kThreads = 128;  // a warpgroup

__global__ void __launch_bounds__(kThreads)
    multiply_two_halves(const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b,
                        __nv_bfloat16* c,  // [m][n]
                        int m, int n, int k) {
  __shared__ alignas(1024) __nv_bfloat16 a[kTileM * kTileK];  // [kTileM][kTileK], swizzled
  __shared__ alignas(1024) __nv_bfloat16 b[kTileN * kTileK];  // [kTileN][kTileK], swizzled
  __shared__ uint64_t full;
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN,
            steps = (k + kTileK - 1) / kTileK;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_barrier_init();
  }
  __syncthreads();

  for (int half = 0, waits = 0; half < 2; ++half) {
    float d[64];  // accumulators of rows 64 half to 64 half + 63
    for (int step = 0; step < steps; ++step, ++waits) {
      if (threadIdx.x == 0) {
        expect_bytes(&full, sizeof a + sizeof b);
        tma_load(a, &map_a, step * kTileK, row0, &full);
        tma_load(b, &map_b, step * kTileK, col0, &full);
      }
      wait(&full, waits % 2);
      wgmma_fence();
      for (int i = 0; i < kTileK / 16; ++i)
        wgmma(d, smem_desc(a + half * 64 * kTileK) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
      wgmma_commit();
      wgmma_wait_all(d);
      __syncthreads();
    }
    store_accumulators(d, c, row0 + 64 * half, col0, m, n);
  }
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_two_halves<<<grid, kThreads, 0, stream>>>(tensor_map(a, m, k, kTileM),
                                                     tensor_map(b, n, k, kTileN), c, m, n, k);
}
