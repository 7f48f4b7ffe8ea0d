// Rung 5 of 11: a larger tile.
//
// Rung 4's block asks for 64 + 128 rows a step and makes 64 x 128 products of each k: 64 x 128 / (64 + 128) =
// 43 multiply-adds for an element that is brought. A tile of 128 x 128 makes 64, from 256 rows: half as many
// again from the same L2. A warpgroup's product has 64 rows, so the tile's two halves are two products with
// the same B, and 64 more registers a thread hold their sums.
//
//     ./ridge grade 06-gemm-tensor-cores/5-larger-tile
//
// What changed from rung 4: kTileM, and d for two halves. For the same C, 2 bytes come from L2 where 3 came
// before.
// Measured on an H200: 72.7% of the best of cuBLAS (course/measured/nvidia-h200).
#include "gemm.h"
#include "hopper.cuh"

namespace {

constexpr int kTileM = 128, kTileN = 128,
              kTileK = 64;     // 64 bf16 along k: 128 bytes, the width of the swizzle
constexpr int kThreads = 128;  // a warpgroup

__global__ void __launch_bounds__(kThreads)
    multiply_two_halves(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
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

  float d[2][64];  // this thread's part of 64 x 128, twice: rows 0-63 and 64-127 of the tile
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == 0) {
      expect_bytes(&full, sizeof a + sizeof b);
      load_box(a, &map_a, step * kTileK, row0, &full);
      load_box(b, &map_b, step * kTileK, col0, &full);
    }
    wait(&full, step % 2);
    begin_products();
    for (int i = 0; i < kTileK / 16; ++i) {
      multiply(d[0], describe(a) + 2 * i, describe(b) + 2 * i, step > 0 || i > 0);
      multiply(d[1], describe(a + 64 * kTileK) + 2 * i, describe(b) + 2 * i, step > 0 || i > 0);
    }
    commit_products();
    wait_products(d[0]);
    wait_products(d[1]);
    __syncthreads();  // before the next boxes overwrite what another warp's products still read
  }
  store_sums(d[0], c, row0, col0, m, n);
  store_sums(d[1], c, row0 + 64, col0, m, n);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
                          int k, cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_two_halves<<<grid, kThreads, 0, stream>>>(map_of(a, m, k, kTileM), map_of(b, n, k, kTileN), c, m,
                                                     n, k);
}
