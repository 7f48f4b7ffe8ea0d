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
#include "tiled_gemm.h"

namespace {

constexpr int kTile = 32;

__global__ void __launch_bounds__(kTile* kTile) multiply_shared_tile(const float* a,  // [m][k]
                                                                     const float* b,  // [k][n]
                                                                     float* c,        // [m][n]
                                                                     int n, int k) {
  // TODO (about 16 lines): rung 3 with tiles of 32 x 32: two shared tiles, row and column, and for each step
  // along k: bring one element of A and one of B, wait, add kTile products, wait. Then store the sum.
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid(n / kTile, m / kTile);
  multiply_shared_tile<<<grid, block, 0, stream>>>(a, b, c, n, k);
}
