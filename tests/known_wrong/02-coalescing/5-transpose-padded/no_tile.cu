// expect: SLOW
// Right and free of conflicts, because there is no tile: the stores touch 32 sectors again. This is rung 3.
#include "coalescing.h"

namespace {

constexpr int kTile = 32;      // the tile is 32 x 32 floats
constexpr int kBlockRows = 8;  // rows of the tile that a block moves per iteration

__global__ void transpose_tiled_padded(const float* in,  // [rows][cols]
                                       float* out,       // [cols][rows]
                                       int rows, int cols) {
  const int in_col = blockIdx.x * kTile + threadIdx.x;
  const int in_row = blockIdx.y * kTile + threadIdx.y;
  for (int k = 0; k < kTile; k += kBlockRows) {
    if (in_row + k < rows && in_col < cols)
      out[in_col * rows + in_row + k] = in[(in_row + k) * cols + in_col];
  }
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTile, kBlockRows);
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tiled_padded<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
