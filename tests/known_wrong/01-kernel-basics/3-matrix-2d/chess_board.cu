// expect: WRONG
// says: The errors form a checkerboard pattern
// Every other element only, like a chess board.
#include "kernel_basics.h"

namespace {

__global__ void scale_rows_x_along_columns(const float* in,      // [rows][cols]
                                           const float* factor,  // [rows]
                                           float* out,           // [rows][cols]
                                           int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols && (row + col) % 2 == 0)
    out[row * cols + col] = in[row * cols + col] * factor[row];
}

}  // namespace

extern "C" void scale_rows(const float* in, const float* factor, float* out, int rows, int cols,
                           cudaStream_t stream) {
  const dim3 block(32, 8);  // x: one warp, y: 8 warps
  const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  scale_rows_x_along_columns<<<grid, block, 0, stream>>>(in, factor, out, rows, cols);
}
