// The tiled transpose with a swizzle instead of padding.
//
// Rung 5 made the rows of the tile one float longer. The same can be had without a byte more:
// element (row, column) of the tile is stored in its row, at *another place* of it:
//
//     place = column ^ row          ^ is exclusive or
//
//     4 x 4, which column is stored at each place       bank = place
//     row 0    0 1 2 3
//     row 1    1 0 3 2          a row is four places: four banks
//     row 2    2 3 0 1          column 3 is at places 3, 2, 1, 0: four banks as well
//     row 3    3 2 1 0
//
// Writer and reader must agree. Both know which element they mean: give it the same two names, row
// and column *of the tile*, on both sides, and call place() with them. Rung 6 does the same with
// float4 in place of floats.
//
// The kernel below is rung 4, complete, with a column of the tile in one bank.
//
//     ./ridge grade 02-coalescing/7-transpose-swizzled
#include "coalescing.h"

namespace {

constexpr int kTile = 32;      // the tile is 32 x 32 floats
constexpr int kBlockRows = 8;  // rows of the tile that a block moves per iteration

// Where element (row, column) of the tile is stored in its row.
[[maybe_unused]] __device__ int place(int row, int column) {
  // TODO (1 line): the swizzle.
  return column;
}

__global__ void transpose_tiled_swizzled(const float* in,  // [rows][cols]
                                         float* out,       // [cols][rows]
                                         int rows, int cols) {
  __shared__ float tile[kTile][kTile];  // [row of in][place], no padding
  const int in_col = blockIdx.x * kTile + threadIdx.x;
  const int in_row = blockIdx.y * kTile + threadIdx.y;
  for (int k = 0; k < kTile; k += kBlockRows) {
    // TODO (2 lines): name the row and the column of the tile that this thread writes, and store
    // the element at its place.
    if (in_row + k < rows && in_col < cols)
      tile[threadIdx.y + k][threadIdx.x] = in[(in_row + k) * cols + in_col];
  }
  __syncthreads();

  const int out_col = blockIdx.y * kTile + threadIdx.x;  // a row of in
  const int out_row = blockIdx.x * kTile + threadIdx.y;  // a column of in
  for (int k = 0; k < kTile; k += kBlockRows) {
    // TODO (2 lines): the same two names for the element that this thread reads. A column of the
    // tile is a row of `out`.
    if (out_row + k < cols && out_col < rows)
      out[(out_row + k) * rows + out_col] = tile[threadIdx.x][threadIdx.y + k];
  }
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTile, kBlockRows);
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tiled_swizzled<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
