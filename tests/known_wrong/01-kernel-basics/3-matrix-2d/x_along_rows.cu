// expect: SLOW
// Right, but x runs along the rows: the 32 floats of a warp are one row apart, 32 sectors.
#include "kernel_basics.h"

namespace {

__global__ void scale_rows_x_along_columns(const float* in,      // [rows][cols]
                                           const float* factor,  // [rows]
                                           float* out,           // [rows][cols]
                                           int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col] * factor[row];
}

}  // namespace

extern "C" void scale_rows(const float* in, const float* factor, float* out, int rows, int cols,
                           cudaStream_t stream) {
  const dim3 block(32, 8);  // x: one warp, y: 8 warps
  const dim3 grid((rows + block.x - 1) / block.x, (cols + block.y - 1) / block.y);
  scale_rows_x_along_columns<<<grid, block, 0, stream>>>(in, factor, out, rows, cols);
}
