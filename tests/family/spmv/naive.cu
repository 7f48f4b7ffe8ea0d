// The naive kernel of spmv: one thread per row.
#include <cuda_runtime.h>

namespace {

__global__ void multiply_row_per_thread(const int* offsets, const int* columns, const float* values,
                                        const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

}  // namespace

extern "C" void spmv(const int* offsets, const int* columns, const float* values, const float* x,
                     float* y, int rows, int, int, cudaStream_t stream) {
  multiply_row_per_thread<<<(rows + 255) / 256, 256, 0, stream>>>(offsets, columns, values, x, y,
                                                                  rows);
}
