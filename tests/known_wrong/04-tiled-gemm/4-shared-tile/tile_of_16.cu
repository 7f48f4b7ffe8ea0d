// expect: SLOW
// Right, but a tile of 16 x 16 serves 16 FMAs per loaded element, not 32.
#include "tiled_gemm.h"

namespace {

constexpr int kTile = 16;

__global__ void __launch_bounds__(kTile* kTile) multiply_shared_tile(const float* a,  // [m][k]
                                                                     const float* b,  // [k][n]
                                                                     float* c,        // [m][n]
                                                                     int n, int k) {
  __shared__ float tile_a[kTile][kTile];  // [row][p]
  __shared__ float tile_b[kTile][kTile];  // [p][col]
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = a[row * k + k0 + x];
    tile_b[y][x] = b[(k0 + y) * n + col];
    __syncthreads();
    for (int p = 0; p < kTile; ++p)
      sum += tile_a[y][p] * tile_b[p][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid(n / kTile, m / kTile);
  multiply_shared_tile<<<grid, block, 0, stream>>>(a, b, c, n, k);
}
