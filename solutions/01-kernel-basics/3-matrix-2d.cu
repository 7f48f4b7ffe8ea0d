// Rung 3 of 4: out[row][col] = in[row][col] * factor[row], a thread an element of a matrix.
//
// Blocks and grids have a y too. What x and y mean is up to you, but the hardware is not indifferent: threads
// are numbered with x running fastest, and 32 threads in a row of that numbering form a warp, which executes
// one instruction together. In a block of 32 x 8 threads a warp is 32 neighbours in x.
//
// The matrix is stored row after row, so element [row][col] lies at row * cols + col: neighbours in col are
// neighbours in memory, neighbours in row are `cols` floats apart. Give x the one that belongs to it.
//
//     ./ridge grade 01-kernel-basics/3-matrix-2d
//
// What changed: two indices instead of one, each with its own guard. With x along the columns a warp reads
// 128 bytes in a line, 4 sectors of 32 bytes, and one single factor: 1 sector. With x along the rows the same
// warp would read 32 floats that lie a whole row apart: 32 sectors of which it uses 4 bytes each.
// Measured on an H200: 57.4% of the device copy (course/measured/nvidia-h200).
#include "kernel_basics.h"

namespace {

__global__ void scale_rows_x_along_columns(const float* in,      // [rows][cols]
                                           const float* factor,  // [rows]
                                           float* out,           // [rows][cols]
                                           int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col] * factor[row];
}

}  // namespace

extern "C" void scale_rows(const float* in, const float* factor, float* out, int rows, int cols,
                           cudaStream_t stream) {
  const dim3 block(32, 8);  // x: one warp, y: 8 warps
  const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  scale_rows_x_along_columns<<<grid, block, 0, stream>>>(in, factor, out, rows, cols);
}
