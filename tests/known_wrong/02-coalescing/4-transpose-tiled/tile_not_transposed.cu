// expect: WRONG
// finding: wrong.tile_transposed
// The tile is read as it was written: tiles are exchanged, but not transposed.
#include "coalescing.h"

namespace {

constexpr int kTile = 32;      // the tile is 32 x 32 floats
constexpr int kBlockRows = 8;  // rows of the tile that a block moves per iteration

__global__ void transpose_tiled(const float* in,  // [rows][cols]
                                float* out,       // [cols][rows]
                                int rows, int cols) {
  __shared__ float tile[kTile][kTile];  // [row of in][column of in]
  const int in_col = blockIdx.x * kTile + threadIdx.x;
  const int in_row = blockIdx.y * kTile + threadIdx.y;
  for (int k = 0; k < kTile; k += kBlockRows) {
    if (in_row + k < rows && in_col < cols)
      tile[threadIdx.y + k][threadIdx.x] = in[(in_row + k) * cols + in_col];
  }
  __syncthreads();

  const int out_col = blockIdx.y * kTile + threadIdx.x;  // a row of in
  const int out_row = blockIdx.x * kTile + threadIdx.y;  // a column of in
  for (int k = 0; k < kTile; k += kBlockRows) {
    if (out_row + k < cols && out_col < rows)
      out[(out_row + k) * rows + out_col] = tile[threadIdx.y + k][threadIdx.x];
  }
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTile, kBlockRows);
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tiled<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
