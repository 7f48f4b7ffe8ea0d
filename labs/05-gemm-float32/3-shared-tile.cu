// Tiles of 32 x 32 in shared memory, any size: lab 04, rungs 4 and 5.
//
// Rung 2 is limited by its loads: two per FMA.
//
//     ./ridge grade 05-gemm-float32/3-shared-tile
#include "gemm_float32.h"

namespace {

constexpr int kTile = 32;

__global__ void __launch_bounds__(kTile* kTile) multiply_any_size(const float* a,  // [m][k]
                                                                  const float* b,  // [k][n]
                                                                  float* c,        // [m][n]
                                                                  int m, int n, int k) {
  // TODO (about 14 lines): the kernel of lab 04, for any m, n and k.
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kTile, kTile);
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  multiply_any_size<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
