// A tile of its own.
#include "coalescing.h"

namespace {
__global__ void transpose_tile(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  const int col = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (blockIdx.y * 32 + k < rows && col < cols)
      tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * cols + col];
  __syncthreads();
  const int row = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (blockIdx.x * 32 + k < cols && row < rows)
      out[(blockIdx.x * 32 + k) * rows + row] = tile[threadIdx.x][k];
}
}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  transpose_tile<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream>>>(in, out, rows, cols);
}
