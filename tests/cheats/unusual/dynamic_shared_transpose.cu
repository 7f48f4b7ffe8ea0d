// A transpose through dynamic shared memory, one column of padding, 64 x 32 tiles.
#include "coalescing.h"

namespace {

constexpr int kRows = 64, kCols = 32, kPitch = kCols + 1;

__global__ void transpose_dynamic(const float* in, float* out, int rows, int cols) {
  extern __shared__ float tile[];  // [kRows][kPitch]
  const int row0 = blockIdx.y * kRows, col0 = blockIdx.x * kCols;
  for (int y = threadIdx.y; y < kRows; y += blockDim.y)
    if (row0 + y < rows && col0 + threadIdx.x < cols)
      tile[y * kPitch + threadIdx.x] = in[static_cast<size_t>(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < kCols; y += blockDim.y)
    for (int x = threadIdx.x; x < kRows; x += kCols)
      if (col0 + y < cols && row0 + x < rows)
        out[static_cast<size_t>(col0 + y) * rows + row0 + x] = tile[x * kPitch + y];
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 grid((cols + kCols - 1) / kCols, (rows + kRows - 1) / kRows);
  transpose_dynamic<<<grid, dim3(32, 8), kRows * kPitch * sizeof(float), stream>>>(in, out, rows, cols);
}
