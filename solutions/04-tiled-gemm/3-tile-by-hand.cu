// Rung 3 of 5: tiles of 2 x 2, small enough for paper.
//
// Two threads of a block that compute the same row of C read the same row of A, and each reads it for itself.
// A block should read it once. Take C as tiles of 2 x 2, a block of 2 x 2 threads for each. The block walks
// along k in steps of 2. In each step
//
//     1. every thread brings one element of A and one of B into shared memory: a tile of A, a tile of B;
//     2. all four wait: __syncthreads();
//     3. every thread adds the two products that its row of the one tile and its column of the other give;
//     4. all four wait again, before the tiles are overwritten.
//
// The page worklogs/04-tiled-gemm/3-tile-by-hand.md has the sheet: fill it in first, then write this, then
// `./ridge trace 04-tiled-gemm/3-tile-by-hand` and see whether your four threads did what the sheet says.
// All sizes are multiples of 2 here.
//
//     ./ridge grade 04-tiled-gemm/3-tile-by-hand
//
// What changed from rung 2: an element of A or B that a block needs is read from global memory once instead
// of twice. Four threads to a warp are no way to be fast; rung 4 takes the same lines with tiles of 32.
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

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid(n / kTile, m / kTile);
  multiply_by_hand<<<grid, block, 0, stream>>>(a, b, c, n, k);
}
