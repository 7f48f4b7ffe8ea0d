// The naive kernel of scale_rows: x runs along the rows, so a warp touches 32 rows at once.
#include <cuda_runtime.h>

namespace {

__global__ void scale_down(const float* in, const float* factor, float* out, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col] * factor[row];
}

}  // namespace

extern "C" void scale_rows(const float* in, const float* factor, float* out, int rows, int cols,
                           cudaStream_t stream) {
  const dim3 block(32, 8), grid((rows + 31) / 32, (cols + 7) / 8);
  scale_down<<<grid, block, 0, stream>>>(in, factor, out, rows, cols);
}
