// expect: SLOW
// Right, without tensor cores: 32 FMAs per instruction.
#include <mma.h>

#include "gemm.h"

namespace {

constexpr int kTile = 64, kTileK = 32;  // of C, and the k-step
constexpr int kThreads = 128;           // 4 warps, 2 x 2, each with 32 x 32 of C

// Copies rows row0 .. row0 + 63 and columns col0 .. col0 + 31 of `matrix` [rows][k]; zeros outside
// it.
__device__ void copy_tile(__nv_bfloat16 (*tile)[kTileK],  // [kTile][kTileK]
                          const __nv_bfloat16* matrix, int rows, int k, int row0, int col0) {
  constexpr int kPieces = kTileK / 8;  // 16-byte pieces per row
  for (int i = threadIdx.x; i < kTile * kPieces; i += kThreads) {
    const int row = i / kPieces, col = i % kPieces * 8;
    uint4 piece = {0, 0, 0, 0};
    if (row0 + row < rows && col0 + col < k)
      piece = *reinterpret_cast<const uint4*>(matrix + static_cast<int64_t>(row0 + row) * k + col0 +
                                              col);
    *reinterpret_cast<uint4*>(&tile[row][col]) = piece;
  }
}

__global__ void __launch_bounds__(kThreads) multiply_fragments(const __nv_bfloat16* a,  // [m][k]
                                                               const __nv_bfloat16* b,  // [n][k]
                                                               __nv_bfloat16* c,        // [m][n]
                                                               int m, int n, int k) {
  __shared__ __align__(32) __nv_bfloat16 tile_a[kTile][kTileK];
  __shared__ __align__(32) __nv_bfloat16 tile_b[kTile][kTileK];
  __shared__ __align__(32) float tile_c[kTile][kTile];
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * 32, warp_col = warp % 2 * 32;

  float acc[32] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    copy_tile(tile_a, a, m, k, row0, k0);
    copy_tile(tile_b, b, n, k, col0, k0);
    __syncthreads();
    for (int p = 0; p < kTileK; ++p)
      for (int j = 0; j < 32; ++j)
        acc[j] += __bfloat162float(tile_a[warp_row + threadIdx.x % 32][p]) *
                  __bfloat162float(tile_b[warp_col + j][p]);
    __syncthreads();  // before the tiles are overwritten
  }
  for (int j = 0; j < 32; ++j)
    tile_c[warp_row + threadIdx.x % 32][warp_col + j] = acc[j];
  __syncthreads();
  for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
    const int row = i / kTile, col = i % kTile;
    if (row0 + row < m && col0 + col < n)
      c[static_cast<int64_t>(row0 + row) * n + col0 + col] = __float2bfloat16(tile_c[row][col]);
  }
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                          int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  multiply_fragments<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
