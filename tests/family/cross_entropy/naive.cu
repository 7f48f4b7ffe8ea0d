// A block per row with two passes over its logits: the maximum, then the sum of exponentials.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256;

__device__ float combined(float mine, float* parts, bool maximum) {
  __syncthreads();
  parts[threadIdx.x] = mine;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      const float other = parts[threadIdx.x + half];
      parts[threadIdx.x] = maximum ? fmaxf(parts[threadIdx.x], other) : parts[threadIdx.x] + other;
    }
  }
  __syncthreads();
  return parts[0];
}

__global__ void cross_entropy_two_passes(const __nv_bfloat16* logits, const int64_t* targets, float* loss,
                                         int vocabulary) {
  __shared__ float parts[kThreads];
  const __nv_bfloat16* row = logits + static_cast<int64_t>(blockIdx.x) * vocabulary;
  float largest = -3.0e38f, sum = 0;
  for (int c = threadIdx.x; c < vocabulary; c += kThreads)
    largest = fmaxf(largest, __bfloat162float(row[c]));
  largest = combined(largest, parts, true);
  for (int c = threadIdx.x; c < vocabulary; c += kThreads)
    sum += expf(__bfloat162float(row[c]) - largest);
  sum = combined(sum, parts, false);
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + largest - __bfloat162float(row[targets[blockIdx.x]]);
}

}  // namespace

extern "C" void cross_entropy(const __nv_bfloat16* logits, const int64_t* targets, float* loss, int rows,
                              int vocabulary, cudaStream_t stream) {
  cross_entropy_two_passes<<<rows, kThreads, 0, stream>>>(logits, targets, loss, vocabulary);
}
