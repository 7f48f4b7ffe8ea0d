// c = a + b, one thread per element.
//
// A kernel is one function that many threads execute at the same time. Each thread computes its own
// index and works on its own element. Threads form blocks of a size that you choose, and the blocks
// form a grid:
//
//     blockDim.x    threads per block (256 here)
//     threadIdx.x   this thread's index in its block: 0 .. 255
//     gridDim.x     blocks in the grid
//     blockIdx.x    this block's index in the grid
//
// All blocks have the same size, so the grid covers n rounded up to a multiple of 256. Threads
// whose index is n or larger must not touch memory: a bounds check excludes them.
//
//     ./ridge grade 01-kernel-basics/1-vector-add
//
// Hypothesis: nothing is shared between threads, so one thread per element is correct, and memory
// bandwidth limits the time.
// What changed: this is the first rung. One multiplication and one addition compute the index, one
// comparison is the bounds check, and the number of blocks is rounded up.
// What that bought: a correct result for every n, with unit-stride loads and stores. Each thread
// has only 8 bytes in flight, so the bandwidth is not reached; rung 4 changes that.
// Measured on an H200: 80.1% of the device copy (course/measured/nvidia-h200).
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add_one_element_per_thread(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  add_one_element_per_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
