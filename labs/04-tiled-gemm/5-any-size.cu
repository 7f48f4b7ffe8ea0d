// The tiled kernel for any m, n and k.
//
// At the right and lower edge of C a tile is partial, and so is the last tile along k. Three
// mistakes that suggest themselves:
//
//     return early where C has no element    the elements of A and B that this thread should load
//                                            are missing, and it does not reach the barriers
//     load only what exists                  the rest of the tile still holds the previous k-step
//     load whatever is at that address       it belongs to the next row, or is out of bounds
//
// The remedy: treat everything outside A and B as 0. A zero adds nothing to a sum, so the loop over
// p does not change; only the loads and the store are predicated. The loads prefetch, as rung 4
// does for gold: load_a(p) and load_b(p) load this thread's two elements for column p of A and row
// p of B, one k-step ahead, and therefore also for a k-step beyond the last one.
//
//     ./ridge grade 04-tiled-gemm/5-any-size
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
  // TODO (2 lines): 0 where there is no such element of A, or of B.
  const auto load_a = [&](int p) { return a[row * k + p]; };
  const auto load_b = [&](int p) { return b[p * n + col]; };
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
  // TODO (1 line): only if C has this element.
  c[row * n + col] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  // TODO (1 line): as many tiles as cover C.
  const dim3 grid(n / kTile, m / kTile);
  multiply_any_size<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
