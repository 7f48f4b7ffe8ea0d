// A filter of one dimension with sixteen neighbouring outputs per thread: the lanes of a warp lie apart.
#include <cuda_runtime.h>

namespace {

constexpr int kPerThread = 16;

__global__ void filter_chunks(const float* x, const float* filter, float* y, int n, int r, int stride, int padding,
                              int outputs) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kPerThread;
  for (int i = first; i < first + kPerThread && i < outputs; ++i) {
    float sum = 0;
    for (int j = 0; j < r; ++j) {
      const int from = i * stride + j - padding;
      if (from >= 0 && from < n) sum += filter[j] * x[from];
    }
    y[i] = sum;
  }
}

}  // namespace

extern "C" void filter_1d(const float* x, const float* filter, float* y, int n, int r, int stride, int padding,
                          cudaStream_t stream) {
  const int outputs = (n + 2 * padding - r) / stride + 1, threads = (outputs + kPerThread - 1) / kPerThread;
  filter_chunks<<<(threads + 255) / 256, 256, 0, stream>>>(x, filter, y, n, r, stride, padding, outputs);
}
