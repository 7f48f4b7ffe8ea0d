// expect: WRONG
// finding: wrong.not_cleared
// The header's kernel adds with an atomic; add_block_sums(), which sets `out` to 0 first, is not used.
#include "block_sums.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_interleaved(const float* in, float* block_sums, int n) {
  __shared__ float partial[kThreads];  // [thread]
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (t % (2 * stride) == 0) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) block_sums[blockIdx.x] = partial[0];
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  float* block_sums = nullptr;  // [blocks]
  cudaMallocAsync(&block_sums, blocks * sizeof(float), stream);
  sum_interleaved<<<blocks, kThreads, 0, stream>>>(in, block_sums, n);
  add_sums_of_blocks<<<(blocks + kSumsPerWarp - 1) / kSumsPerWarp, 32, 0, stream>>>(block_sums,
                                                                                    blocks, out);
  cudaFreeAsync(block_sums, stream);
}
