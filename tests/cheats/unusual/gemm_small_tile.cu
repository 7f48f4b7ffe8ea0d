// gemm with a tile of 64 x 64 and 64 threads, each of which makes 8 x 8 elements, spread over the tile.
#include "gemm_float32.h"

namespace {

constexpr int kTile = 64, kTileK = 8, kEach = 8, kSide = kTile / kEach;

__global__ void __launch_bounds__(kSide* kSide) multiply_spread(const float* a, const float* b, float* c, int m,
                                                               int n, int k) {
  __shared__ float tile_a[kTileK][kTile + 1], tile_b[kTileK][kTile];
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  float sum[kEach][kEach] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    for (int i = threadIdx.x; i < kTile * kTileK; i += kSide * kSide) {
      const int row = i / kTileK, p = i % kTileK, q = i / kTile, col = i % kTile;
      tile_a[p][row] = row0 + row < m && k0 + p < k ? a[(row0 + row) * k + k0 + p] : 0.0f;
      tile_b[q][col] = k0 + q < k && col0 + col < n ? b[(k0 + q) * n + col0 + col] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < kTileK; ++p) {
      float from_a[kEach], from_b[kEach];
      for (int i = 0; i < kEach; ++i)
        from_a[i] = tile_a[p][y + i * kSide], from_b[i] = tile_b[p][x + i * kSide];
      for (int i = 0; i < kEach; ++i)
        for (int j = 0; j < kEach; ++j)
          sum[i][j] += from_a[i] * from_b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j)
      if (row0 + y + i * kSide < m && col0 + x + j * kSide < n)
        c[(row0 + y + i * kSide) * n + col0 + x + j * kSide] = sum[i][j];
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  multiply_spread<<<grid, kSide * kSide, 0, stream>>>(a, b, c, m, n, k);
}
