// Rung 4 of 11: products of a whole warpgroup, fed by the copy engine.
//
// Rung 3 still brings every operand into registers before the tensor cores see it, and 256 threads compute
// addresses for copies. Hopper's tensor cores read A and B from shared memory by themselves (wgmma: four
// warps start a product of 64 x 128 x 16 and go on), and its copy engine (TMA) takes a box of a matrix from
// one thread's one instruction, swizzled as wgmma wants it, with zeros where there is no matrix. Nothing
// about edges is left in the kernel.
//
// Here as simply as it can be said: one warpgroup, one stage, everything in turn. hopper.cuh explains each
// function used here; read it first, it is half of this rung.
//
//     thread 0:    expect_bytes, load_box for A, load_box for B
//     everybody:   wait, products, wait for those, __syncthreads
//
//     ./ridge grade 06-gemm-tensor-cores/4-wgmma-tma
//
// What changed from rung 3: no fragment of A or B in a register, no address for a copy. It has no stages, and
// so it may well be slower than rung 3: the next rungs build them again, from better parts.
// Measured on an H200: 54.4% of the best of cuBLAS (course/measured/nvidia-h200).
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 64, kTileN = 128, kTileK = 64;  // 64 bf16 along k: 128 bytes, the width of the swizzle
constexpr int kThreads = 128;                          // a warpgroup

__global__ void __launch_bounds__(kThreads)
    multiply_boxes(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                   __nv_bfloat16* c,  // [m][n]
                   int m, int n, int k) {
  __shared__ alignas(1024) __nv_bfloat16 a[kTileM * kTileK];  // [kTileM][kTileK], swizzled
  __shared__ alignas(1024) __nv_bfloat16 b[kTileN * kTileK];  // [kTileN][kTileK], swizzled
  __shared__ uint64_t full;
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN, steps = (k + kTileK - 1) / kTileK;
  if (threadIdx.x == 0) {
    init(&full, 1);
    publish_barriers();
  }
  __syncthreads();

  float d[64];  // this thread's part of 64 x 128
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == 0) {
      expect_bytes(&full, sizeof a + sizeof b);
      load_box(a, &map_a, step * kTileK, row0, &full);
      load_box(b, &map_b, step * kTileK, col0, &full);
    }
    wait(&full, step % 2);
    begin_products();
    for (int i = 0; i < kTileK / 16; ++i)
      multiply(d, describe(a) + 2 * i, describe(b) + 2 * i, step > 0 || i > 0);
    commit_products();
    wait_products(d);
    __syncthreads();  // before the next boxes overwrite what another warp's products still read
  }
  store_sums(d, c, row0, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
                          int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_boxes<<<grid, kThreads, 0, stream>>>(map_of(a, m, k, kTileM), map_of(b, n, k, kTileN), c, m, n, k);
}
