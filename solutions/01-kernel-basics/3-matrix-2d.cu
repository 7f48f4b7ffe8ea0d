// out[row][col] = in[row][col] * factor[row], one thread per element of a matrix.
//
// Blocks and grids also have a y dimension. You choose what x and y stand for, but the choice
// changes the speed: threads are numbered with x varying fastest, and 32 consecutive threads of
// that numbering form a warp, which executes one instruction together. In a block of 32 x 8 threads
// a warp is 32 neighbours in x.
//
// The matrix is row-major: element [row][col] is at row * cols + col. Neighbours in col are
// neighbours in memory; neighbours in row are `cols` floats apart. Let x be the index that varies
// fastest in memory.
//
//     ./ridge grade 01-kernel-basics/3-matrix-2d
//
// Hypothesis: with x along the columns a warp's 32 addresses are contiguous, and the loads need 4
// sectors of 32 bytes instead of 32.
// What changed: two indices instead of one, each with its own bounds check; x is the column. A warp
// reads 128 contiguous bytes, 4 sectors, and one factor, 1 sector. With x along the rows it would
// read 32 floats that are one row apart: 32 sectors, of which it uses 4 bytes each.
// What that bought: every byte of every fetched sector is used. One float per thread still leaves
// few bytes in flight.
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
