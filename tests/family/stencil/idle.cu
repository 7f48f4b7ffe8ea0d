// The naive stencil with an idle tile in shared memory beside it: copies that nobody needs, and loads from global memory.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace {

__global__ void stencil_idle(const float* x, const float* weights, float* y, int h, int w) {
  __shared__ __align__(16) float4 idle[256];
  const int t = threadIdx.y * 32 + threadIdx.x;
  __pipeline_memcpy_async(&idle[t], reinterpret_cast<const float4*>(x), 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= h || column >= w) return;
  float sum = 0;
  for (int point = 0; point < 9; ++point) {
    const int i = row + point / 3 - 1, j = column + point % 3 - 1;
    if (i >= 0 && i < h && j >= 0 && j < w) sum += weights[point] * x[i * w + j];
  }
  y[row * w + column] = sum;
}

}  // namespace

extern "C" void stencil(const float* x, const float* weights, float* y, int h, int w, cudaStream_t stream) {
  const dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
  stencil_idle<<<grid, block, 0, stream>>>(x, weights, y, h, w);
}
