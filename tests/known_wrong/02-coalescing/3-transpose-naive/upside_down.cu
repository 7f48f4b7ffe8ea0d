// expect: WRONG
// says: The rows are in reversed order
// Rotated in the other direction.
#include "coalescing.h"

namespace {

__global__ void transpose_unit_stride_loads(const float* in,  // [rows][cols]
                                            float* out,       // [cols][rows]
                                            int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[(cols - 1 - col) * rows + row] = in[row * cols + col];
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(32, 8);  // x: one warp, y: 8 warps
  const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  transpose_unit_stride_loads<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
