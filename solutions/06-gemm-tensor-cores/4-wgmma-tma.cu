// MMAs of a whole warpgroup, fed by the copy engine.
//
// Rung 3 still loads every operand into registers before the tensor cores use it, and 256 threads
// compute addresses for copies. Hopper's tensor cores read A and B from shared memory (wgmma: four
// warps start an MMA of 64 x 128 x 16 and continue), and its copy engine (TMA) copies a box of a
// matrix for one instruction of one thread, swizzled as wgmma expects it, with zeros outside the
// matrix. The kernel contains no edge handling.
//
// Here in the simplest form: one warpgroup, one stage, everything in sequence. hopper.cuh explains
// each function used here; read it first, it is half of this rung.
//
//     thread 0:      expect_bytes, tma_load for A, tma_load for B
//     all threads:   wait, wgmma, wait for the MMAs, __syncthreads
//
//     ./ridge grade 06-gemm-tensor-cores/4-wgmma-tma
//
// Hypothesis: rung 3 is limited by fragment loads and copy instructions; wgmma and TMA need
// neither.
// What changed from rung 3: no fragment of A or B in registers, no address computation for copies,
// and no stages: the next rungs add them again.
// What that bought: 54.4% instead of 35.5%, without any overlap of copy and MMA.
// Measured on an H200: 54.4% of the best of cuBLAS (course/measured/nvidia-h200).
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 64, kTileN = 128,
              kTileK = 64;     // 64 bf16 along k: 128 bytes, the width of the swizzle
constexpr int kThreads = 128;  // a warpgroup

__global__ void __launch_bounds__(kThreads)
    multiply_tma_tiles(const __grid_constant__ CUtensorMap map_a,
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

  float d[64];  // accumulators: this thread's part of 64 x 128
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == 0) {
      expect_bytes(&full, sizeof a + sizeof b);
      tma_load(a, &map_a, step * kTileK, row0, &full);
      tma_load(b, &map_b, step * kTileK, col0, &full);
    }
    wait(&full, step % 2);
    wgmma_fence();
    for (int i = 0; i < kTileK / 16; ++i)
      wgmma(d, smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
    wgmma_commit();
    wgmma_wait_all(d);
    __syncthreads();  // before the next boxes overwrite what another warp's MMAs still read
  }
  store_accumulators(d, c, row0, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_tma_tiles<<<grid, kThreads, 0, stream>>>(tensor_map(a, m, k, kTileM),
                                                    tensor_map(b, n, k, kTileN), c, m, n, k);
}
