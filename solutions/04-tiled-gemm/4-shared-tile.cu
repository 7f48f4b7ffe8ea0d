// Tiles of 32 x 32 in shared memory.
//
// Rung 2 is limited by its loads: two per FMA. Rung 3 shows the remedy, with four threads. A block
// of 32 x 32 threads loads a tile of A and a tile of B once, and uses every element of them 32
// times: one load from global memory per 16 FMAs instead of two per FMA.
//
// A warp is one row of the block: y is the same for all its lanes. In each line that you write,
// consider which addresses the lanes access: contiguous in global memory; in shared memory
// contiguous or all the same.
// All sizes are multiples of 32 here; rung 5 handles the others.
//
// For gold, prefetch: between the two barriers all threads wait for two loads, and none computes.
// Let each thread load its two elements of the *next* k-step before the FMAs, and store them into
// the tiles afterwards.
//
//     ./ridge grade 04-tiled-gemm/4-shared-tile
//
// Hypothesis: rung 2 is limited by loads from global memory; tiles of 32 x 32 need a thirty-second
// of them.
// What changed from rung 3: the tile size. A warp has work for all 32 lanes, its loads are 4
// sectors of 4, and it executes 2 loads per 32 FMAs instead of 64. The loads of the next k-step are
// in flight during the FMAs of this one.
// What that bought: 19.5% instead of the 11.9% of rung 2.
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
    const int k1 = k0 + kTile;  // the next k-step: in flight during the FMAs
    if (k1 < k) next_a = a[row * k + k1 + x], next_b = b[(k1 + y) * n + col];
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
