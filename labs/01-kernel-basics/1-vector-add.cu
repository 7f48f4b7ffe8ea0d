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
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add_one_element_per_thread(const float* a, const float* b, float* c, int n) {
  // TODO (about 3 lines): compute this thread's index from blockIdx.x, blockDim.x and threadIdx.x;
  // if it is below n, add that element. Until you do, nothing is written to c.
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  // TODO (1 line): enough blocks for one thread per element.
  const int blocks = 1;
  add_one_element_per_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
