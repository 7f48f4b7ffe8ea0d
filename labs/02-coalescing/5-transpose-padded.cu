// The tiled transpose without bank conflicts.
//
// Shared memory has 32 banks, each 4 bytes wide: the float at index i is in bank i % 32, and each
// bank delivers one word per wavefront. In rung 4 a row of the tile is 32 floats, so a whole column
// is in a single bank:
//
//     tile[0][y]: bank y   tile[1][y]: bank (32 + y) % 32 = y   tile[2][y]: bank (64 + y) % 32 = y
//
// A warp that reads a column needs 32 wavefronts from that bank while the other 31 banks are idle.
// The kernel below is rung 4, complete. Move the elements of a column to 32 different banks.
//
//     ./ridge grade 02-coalescing/5-transpose-padded
#include "coalescing.h"

namespace {

constexpr int kTile = 32;      // the tile is 32 x 32 floats
constexpr int kBlockRows = 8;  // rows of the tile that a block moves per iteration

__global__ void transpose_tiled_padded(const float* in,  // [rows][cols]
                                       float* out,       // [cols][rows]
                                       int rows, int cols) {
  // TODO (1 line): lay the tile out so that both a row and a column of it use all 32 banks.
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
      out[(out_row + k) * rows + out_col] = tile[threadIdx.x][threadIdx.y + k];
  }
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTile, kBlockRows);
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tiled_padded<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
