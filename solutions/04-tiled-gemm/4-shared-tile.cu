// Rung 4 of 5: tiles of 32 x 32.
//
// Rung 2 waits on its loads: two for every multiplication. Rung 3 showed the way out, with four threads. A
// block of 32 x 32 threads reads a tile of A and a tile of B once, and uses every element of them 32 times:
// a load from global memory now serves 32 multiplications, not one.
//
// A warp is one row of the block: y is the same for all its lanes. Look where its lanes lie in each line that
// you write: side by side in global memory, and in shared memory side by side or all in one place.
// All sizes are multiples of 32 here; rung 5 sees to the others.
//
// For gold, ask early: between two barriers everybody waits for two loads, and nobody multiplies. Let each
// thread load its two elements of the *next* step before the products, and put them into the tiles after.
//
//     ./ridge grade 04-tiled-gemm/4-shared-tile
//
// What changed from rung 3: one number, and with it everything. A warp has work for all its 32 lanes, its
// loads are 4 sectors of 4, and it makes 2 loads for every 32 multiplications instead of 64.
// Measured on an H200: 19.5% of cublasSgemm (course/measured/nvidia-h200).
#include "tiled_gemm.h"

namespace {

constexpr int kTile = 32;

__global__ void __launch_bounds__(kTile* kTile) multiply_shared_tile(const float* a,  // [m][k]
                                                                     const float* b,  // [k][n]
                                                                     float* c,        // [m][n]
                                                                     int n, int k) {
  __shared__ float tile_a[kTile][kTile];  // [row][p]
  __shared__ float tile_b[kTile][kTile];  // [p][col]
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  float next_a = a[row * k + x], next_b = b[y * n + col];
  for (int k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = next_a;
    tile_b[y][x] = next_b;
    __syncthreads();
    const int k1 = k0 + kTile;  // the next step: on its way while the products run
    if (k1 < k) next_a = a[row * k + k1 + x], next_b = b[(k1 + y) * n + col];
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
  multiply_shared_tile<<<grid, block, 0, stream>>>(a, b, c, n, k);
}
