// Find the bug: three kernels, one mistake in each.
//
// Hypothesis: a result that is wrong once in a while, or right by chance, has one of three causes:
// two threads that use the same memory without an order, an index past the end, or a value that is
// read before it was stored.
// What changed: the count is added by an atomic, which reads, adds and stores as one step; the
// neighbour of the last element is the first one; and all threads of the block wait until the tile
// is complete.
// What that bought: the same answer in every run. Each correction is one expression or one line.
//
//     ./ridge grade 00-host-side/5-find-the-bug --solution
#include "host_side.h"

namespace {

constexpr int kThreads = 128;  // per block

// positive = how many elements are above 0. The function has set it to 0 before.
__global__ void count_positive(const float* x, float* positive, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n && x[i] > 0) atomicAdd(positive, 1.0f);
}

// steps[i] = x[i + 1] - x[i]; behind the last element comes the first.
__global__ void step_to_next(const float* x, float* steps, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) steps[i] = x[(i + 1) % n] - x[i];
}

// The elements of each block in reverse order, by way of shared memory, an array that all threads
// of a block can use. A block of fewer elements than threads has `count` of them.
__global__ void reverse_in_block(const float* x, float* reversed, int n) {
  __shared__ float tile[kThreads];  // [kThreads]
  const int first = blockIdx.x * kThreads, i = first + threadIdx.x;
  const int count = n - first < kThreads ? n - first : kThreads;
  if (i < n) tile[threadIdx.x] = x[i];
  __syncthreads();  // by all threads of the block, also those without an element
  if (i < n) reversed[i] = tile[count - 1 - threadIdx.x];
}

}  // namespace

extern "C" void three_kernels(const float* x, float* positive, float* steps, float* reversed, int n,
                              cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  cudaMemsetAsync(positive, 0, sizeof(float), stream);
  count_positive<<<blocks, kThreads, 0, stream>>>(x, positive, n);
  step_to_next<<<blocks, kThreads, 0, stream>>>(x, steps, n);
  reverse_in_block<<<blocks, kThreads, 0, stream>>>(x, reversed, n);
}
