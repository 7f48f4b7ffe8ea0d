// The filter in constant memory, and the elements of a block in shared memory.
#include "convolution.h"
__constant__ float taps[7];
__global__ void __launch_bounds__(256)
    f(const float* x, float* y, int n, int r, int stride, int padding, int outputs) {
  __shared__ float t[256 * 2 + 8];
  const long long first = (long long)blockIdx.x * 256 * stride - padding;
  const int need = 255 * stride + r;
  for (int i = threadIdx.x; i < need; i += 256) {
    const long long at = first + i;
    t[i] = at >= 0 && at < n ? x[at] : 0;
  }
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= outputs) return;
  float s = 0;
  for (int j = 0; j < r; ++j)
    s = fmaf(taps[j], t[threadIdx.x * stride + j], s);
  y[i] = s;
}
extern "C" void filter_1d(const float* x, const float* filter, float* y, int n, int r, int stride,
                          int padding, cudaStream_t s) {
  const int o = (n + 2 * padding - r) / stride + 1;
  cudaMemcpyToSymbolAsync(taps, filter, r * 4, 0, cudaMemcpyDeviceToDevice, s);
  f<<<(o + 255) / 256, 256, 0, s>>>(x, y, n, r, stride, padding, o);
}
