// Tiles of 2 x 2, small enough for paper.
//
// Two threads of a block that compute elements of the same row of C read the same row of A, each
// for itself. A block should read it once. Divide C into tiles of 2 x 2, with one block of 2 x 2
// threads per tile. The block walks along k in k-steps of 2. In each k-step
//
//     1. every thread loads one element of A and one of B into two tiles in shared memory;
//     2. all four threads wait: __syncthreads();
//     3. every thread adds two products, of its row of the one tile and its column of the other;
//     4. all four threads wait again, before the tiles are overwritten.
//
// The page worklogs/04-tiled-gemm/3-tile-by-hand.md has a sheet: fill it in first, then write this,
// then run `./ridge trace 04-tiled-gemm/3-tile-by-hand` and compare your four threads with the
// sheet. All sizes are multiples of 2 here.
//
//     ./ridge grade 04-tiled-gemm/3-tile-by-hand
//
// Hypothesis: with tiles of 2 x 2 each element is read from global memory half as often.
// What changed from rung 2: a block reads each element of A and B that it needs once instead of
// twice. Four threads per warp cannot be fast; rung 4 uses the same lines with tiles of 32.
// What that bought: half the loads, and 28 of 32 lanes of every warp without work: slower than rung
// 2 (11.9%).
// Measured on an H200: 0.8% of cublasSgemm (course/measured/nvidia-h200).
#include "tiled_gemm.h"

namespace {

constexpr int kTile = 2;

__global__ void multiply_by_hand(const float* a,  // [m][k]
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
  multiply_by_hand<<<grid, block, 0, stream>>>(a, b, c, n, k);
}
