// A larger tile.
//
// Rung 4's block loads 64 + 128 rows per k-step and computes 64 x 128 FMAs for each k: 64 x 128 /
// (64 + 128) = 43 FMAs per loaded element. A tile of 128 x 128 loads 256 rows and computes 64 FMAs
// per element: 1.5 times the FMAs for the same L2 traffic. One wgmma has 64 rows, so the tile's two
// halves are two wgmma with the same B, and each thread has 64 more accumulators.
//
//     ./ridge grade 06-gemm-tensor-cores/5-larger-tile
//
// Hypothesis: rung 4 is limited by L2 traffic; a tile of 128 x 128 needs two thirds of it.
// What changed from rung 4: kTileM, and d for two halves. For the same C, 2 bytes come from L2
// instead of 3.
// What that bought: 72.7% instead of 54.4%.
// Measured on an H200: 72.7% of the best of cuBLAS (course/measured/nvidia-h200).
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

  float d[2][64];  // accumulators of rows 0-63 and 64-127 of the tile, 64 x 128 each
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == 0) {
      expect_bytes(&full, sizeof a + sizeof b);
      tma_load(a, &map_a, step * kTileK, row0, &full);
      tma_load(b, &map_b, step * kTileK, col0, &full);
    }
    wait(&full, step % 2);
    wgmma_fence();
    for (int i = 0; i < kTileK / 16; ++i) {
      wgmma(d[0], smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
      wgmma(d[1], smem_desc(a + 64 * kTileK) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
    }
    wgmma_commit();
    wgmma_wait_all(d[0]);
    wgmma_wait_all(d[1]);
    __syncthreads();  // before the next boxes overwrite what another warp's MMAs still read
  }
  store_accumulators(d[0], c, row0, col0, m, n);
  store_accumulators(d[1], c, row0 + 64, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_two_halves<<<grid, kThreads, 0, stream>>>(tensor_map(a, m, k, kTileM),
                                                     tensor_map(b, n, k, kTileN), c, m, n, k);
}
