// expect: WRONG
// The reader has the names of the writer: it reads the element that it wrote.
#include "coalescing.h"

namespace {

constexpr int kTile = 32;      // the tile is 32 x 32 floats
constexpr int kBlockRows = 8;  // rows of the tile that a block moves per iteration

// Where element (row, column) of the tile is stored in its row.
__device__ int place(int row, int column) {
  return column ^ row;
}

__global__ void transpose_tiled_swizzled(const float* in,  // [rows][cols]
                                         float* out,       // [cols][rows]
                                         int rows, int cols) {
  __shared__ float tile[kTile][kTile];  // [row of in][place]
  const int in_col = blockIdx.x * kTile + threadIdx.x;
  const int in_row = blockIdx.y * kTile + threadIdx.y;
  for (int k = 0; k < kTile; k += kBlockRows) {
    const int row = threadIdx.y + k, column = threadIdx.x;
    if (in_row + k < rows && in_col < cols)
      tile[row][place(row, column)] = in[(in_row + k) * cols + in_col];
  }
  __syncthreads();

  const int out_col = blockIdx.y * kTile + threadIdx.x;  // a row of in
  const int out_row = blockIdx.x * kTile + threadIdx.y;  // a column of in
  for (int k = 0; k < kTile; k += kBlockRows) {
    const int row = threadIdx.y + k, column = threadIdx.x;
    if (out_row + k < cols && out_col < rows)
      out[(out_row + k) * rows + out_col] = tile[row][place(row, column)];
  }
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTile, kBlockRows);
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tiled_swizzled<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
