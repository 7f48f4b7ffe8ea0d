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
#include "kernel_basics.h"

namespace {

__global__ void scale_rows_x_along_columns(const float* in,      // [rows][cols]
                                           const float* factor,  // [rows]
                                           float* out,           // [rows][cols]
                                           int rows, int cols) {
  // TODO (about 3 lines): this thread's row and column, from the x and y of blockIdx, blockDim and
  // threadIdx; a bounds check for both; the multiplication.
}

}  // namespace

extern "C" void scale_rows(const float* in, const float* factor, float* out, int rows, int cols,
                           cudaStream_t stream) {
  const dim3 block(32, 8);  // x: one warp, y: 8 warps
  // TODO (1 line): enough blocks in x and in y to cover the matrix, each rounded up.
  const dim3 grid(1, 1);
  scale_rows_x_along_columns<<<grid, block, 0, stream>>>(in, factor, out, rows, cols);
}
