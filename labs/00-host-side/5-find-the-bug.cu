// Find the bug: three kernels, one mistake in each.
//
// Each kernel below compiles, and two of three give the right answer on many GPUs on many days. The
// virtual GPU checks every access while it executes a kernel, and stops at the first that is wrong.
// Its report names the line, the thread and the array. Beside each kernel is what it says of it.
// Correct all three, and change nothing else: a kernel that is rewritten is not accepted, and
// the code around the kernels has no mistake.
//
// Believe the line first: it is where the mistake shows. The cause is there, or shortly before.
//
//     ./ridge grade 00-host-side/5-find-the-bug
#include "host_side.h"

namespace {

constexpr int kThreads = 128;  // per block

// positive = how many elements are above 0. The function has set it to 0 before.
__global__ void count_positive(const float* x, float* positive, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  // TODO (1 line): Race, n = 33: thread (32,0,0) of block (0,0,0) reads element 0 of `positive`,
  // which thread (31,0,0) of the same block writes in the next line, and nothing makes one of them
  // wait for the other.
  if (i < n && x[i] > 0) *positive = *positive + 1;
}

// steps[i] = x[i + 1] - x[i]; behind the last element comes the first.
__global__ void step_to_next(const float* x, float* steps, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  // TODO (1 line): Out of bounds, n = 1: thread (0,0,0) of block (0,0,0) reads 4 bytes at index 1
  // of `x`, which holds 1 element of 4 bytes: the first byte past its end.
  if (i < n) steps[i] = x[i + 1] - x[i];
}

// The elements of each block in reverse order, by way of shared memory, an array that all threads
// of a block can use. A block of fewer elements than threads has `count` of them.
__global__ void reverse_in_block(const float* x, float* reversed, int n) {
  __shared__ float tile[kThreads];  // [kThreads]
  const int first = blockIdx.x * kThreads, i = first + threadIdx.x;
  const int count = n - first < kThreads ? n - first : kThreads;
  if (i < n) tile[threadIdx.x] = x[i];
  // TODO (1 line): Race, n = 31: thread (0,0,0) of block (0,0,0) reads `tile[30]` in shared memory,
  // which thread (30,0,0) wrote in the line above, and nothing makes one of them wait for the
  // other.
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
