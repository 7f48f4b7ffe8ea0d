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
#include "tiled_gemm.h"

namespace {

constexpr int kTile = 32;

__global__ void __launch_bounds__(kTile* kTile) multiply_shared_tile(const float* a,  // [m][k]
                                                                     const float* b,  // [k][n]
                                                                     float* c,        // [m][n]
                                                                     int n, int k) {
  // TODO (about 16 lines): rung 3 with tiles of 32 x 32: two shared tiles, row and column, and for
  // each k-step: load one element of A and one of B, wait, kTile FMAs, wait. Then store the result.
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid(n / kTile, m / kTile);
  multiply_shared_tile<<<grid, block, 0, stream>>>(a, b, c, n, k);
}
