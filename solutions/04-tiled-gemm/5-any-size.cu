// Rung 5 of 5: the tiled product for any m, n and k.
//
// At the right and lower edge of C a tile is cut, and so is the last tile along k. Three temptations:
//
//     return early where there is no element of C      the others wait for you at the barrier; and your
//                                                      elements of A and B are missing in their tiles
//     load only what exists                            the rest of the tile still holds the step before
//     load what lies there                             it is the next row's, or nobody's
//
// What helps: outside of A and B stands 0. A zero adds nothing to a sum, so the loop over p may stay whole,
// and only the loads and the last store are guarded. The loads ask early, as rung 4 does for gold: load_a(p)
// and load_b(p) fetch this thread's two elements for column p of A and row p of B, a step ahead, and so also
// for a step behind the last one.
//
//     ./ridge grade 04-tiled-gemm/5-any-size
//
// What changed from rung 4: two conditional loads, one guard on the store, a grid that is rounded up. Threads
// without an element of C work along: a barrier is everybody's.
// Measured on an H200: 20.9% of cublasSgemm (course/measured/nvidia-h200).
#include "tiled_gemm.h"

namespace {

constexpr int kTile = 32;

__global__ void __launch_bounds__(kTile* kTile) multiply_any_size(const float* a,  // [m][k]
                                                                  const float* b,  // [k][n]
                                                                  float* c,        // [m][n]
                                                                  int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile];  // [row][p]
  __shared__ float tile_b[kTile][kTile];  // [p][col]
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  const auto load_a = [&](int p) { return row < m && p < k ? a[row * k + p] : 0.0f; };
  const auto load_b = [&](int p) { return p < k && col < n ? b[p * n + col] : 0.0f; };
  float next_a = load_a(x), next_b = load_b(y);
  for (int k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = next_a;
    tile_b[y][x] = next_b;
    __syncthreads();
    next_a = load_a(k0 + kTile + x), next_b = load_b(k0 + kTile + y);
    for (int p = 0; p < kTile; ++p)
      sum += tile_a[y][p] * tile_b[p][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  multiply_any_size<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
