// spmv with one warp per row: most rows have fewer entries than a warp has lanes.
#include <cuda_runtime.h>

namespace {

__global__ void multiply_row_per_warp(const int* offsets, const int* columns, const float* values,
                                      const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32)
    sum += values[i] * x[columns[i]];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) y[row] = sum;
}

}  // namespace

extern "C" void spmv(const int* offsets, const int* columns, const float* values, const float* x,
                     float* y, int rows, int, int, cudaStream_t stream) {
  multiply_row_per_warp<<<(rows + 7) / 8, 256, 0, stream>>>(offsets, columns, values, x, y, rows);
}
