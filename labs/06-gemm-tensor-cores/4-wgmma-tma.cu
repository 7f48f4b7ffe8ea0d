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

  // TODO (about 15 lines): for each k-step, thread 0 announces the bytes of both boxes at `full`
  // and loads them (expect_bytes, tma_load); all wait for phase number `step`, by its parity; then
  // four MMAs of 16 along k (wgmma_fence; wgmma with the smem_desc() of the tiles), committed and
  // waited for; and a barrier of the block before the boxes are overwritten. The first MMA does not
  // add to d.
  float d[64] = {};  // accumulators: this thread's part of 64 x 128
  (void)a[0], (void)b[0], (void)steps;
  store_accumulators(d, c, row0, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_tma_tiles<<<grid, kThreads, 0, stream>>>(tensor_map(a, m, k, kTileM),
                                                    tensor_map(b, n, k, kTileN), c, m, n, k);
}
