// The naive kernel of softmax: a block per row, three passes over global memory.
#include <cuda_runtime.h>

#include <cfloat>

namespace {

constexpr int kThreads = 256;

template <typename Combine>
__device__ float reduce(float value, float* of_threads, Combine combine) {
  of_threads[threadIdx.x] = value;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      of_threads[threadIdx.x] = combine(of_threads[threadIdx.x], of_threads[threadIdx.x + stride]);
    __syncthreads();
  }
  const float result = of_threads[0];
  __syncthreads();
  return result;
}

__global__ void softmax_three_passes(const float* in, float* out, int cols) {
  __shared__ float of_threads[kThreads];
  const float* row = in + static_cast<size_t>(blockIdx.x) * cols;
  float* to = out + static_cast<size_t>(blockIdx.x) * cols;
  float largest = -FLT_MAX, total = 0;
  for (int i = threadIdx.x; i < cols; i += kThreads)
    largest = fmaxf(largest, row[i]);
  largest = reduce(largest, of_threads, [](float a, float b) { return fmaxf(a, b); });
  for (int i = threadIdx.x; i < cols; i += kThreads)
    total += expf(row[i] - largest);
  total = reduce(total, of_threads, [](float a, float b) { return a + b; });
  for (int i = threadIdx.x; i < cols; i += kThreads)
    to[i] = expf(row[i] - largest) / total;
}

}  // namespace

extern "C" void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  softmax_three_passes<<<rows, kThreads, 0, stream>>>(in, out, cols);
}
