// expect: OUT OF BOUNDS
// Element n is taken for one of the array: off by one at the other border.
#include "convolution.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void filter_output_per_thread(const float* x, const float* filter, float* y, int n,
                                         int r, int stride, int padding, int outputs) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= outputs) return;
  float sum = 0;
  for (int j = 0; j < r; ++j) {
    const int from = i * stride + j - padding;
    if (from >= 0 && from <= n) sum += filter[j] * x[from];
  }
  y[i] = sum;
}

}  // namespace

extern "C" void filter_1d(const float* x, const float* filter, float* y, int n, int r, int stride,
                          int padding, cudaStream_t stream) {
  const int outputs = (n + 2 * padding - r) / stride + 1;
  const int blocks = (outputs + kThreads - 1) / kThreads;
  filter_output_per_thread<<<blocks, kThreads, 0, stream>>>(x, filter, y, n, r, stride, padding,
                                                            outputs);
}
