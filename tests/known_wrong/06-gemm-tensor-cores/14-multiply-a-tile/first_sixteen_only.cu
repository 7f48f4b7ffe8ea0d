// expect: WRONG
// The descriptors never advance: the first 16 of k, four times.
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 64, kTileN = 128,
              kTileK = 64;     // 64 bf16 along k: 128 bytes, the width of the swizzle
constexpr int kThreads = 128;  // a warpgroup

__global__ void __launch_bounds__(kThreads)
    multiply_one_step(const __grid_constant__ CUtensorMap map_a,
                      const __grid_constant__ CUtensorMap map_b,
                      __nv_bfloat16* c,  // [m][n]
                      int m, int n) {
  __shared__ alignas(1024) __nv_bfloat16 a[kTileM * kTileK];  // [kTileM][kTileK], swizzled
  __shared__ alignas(1024) __nv_bfloat16 b[kTileN * kTileK];  // [kTileN][kTileK], swizzled
  __shared__ uint64_t full;
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect_bytes(&full, sizeof a + sizeof b);
    tma_load(a, &map_a, 0, row0, &full);
    tma_load(b, &map_b, 0, col0, &full);
  }
  wait(&full, 0);  // both tiles have arrived

  float d[64];  // accumulators: this thread's part of 64 x 128
  wgmma_fence();
  for (int i = 0; i < kTileK / 16; ++i)
    wgmma(d, smem_desc(a), smem_desc(b), i > 0);
  wgmma_commit();
  wgmma_wait_all(d);
  store_accumulators(d, c, row0, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_one_step<<<grid, kThreads, 0, stream>>>(tensor_map(a, m, k, kTileM),
                                                   tensor_map(b, n, k, kTileN), c, m, n);
}
