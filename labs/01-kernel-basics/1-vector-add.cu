// Rung 1 of 4: c = a + b, one thread an element.
//
// A kernel is one function that a great many threads run at the same time. Each thread asks who it is and
// does its own small share. Threads come in blocks of a size that you choose, blocks come in a grid:
//
//     blockDim.x   threads in a block (256 here)      threadIdx.x   which of them am I: 0 .. 255
//     gridDim.x    blocks in the grid                 blockIdx.x    which block am I in
//
// Blocks are all of one size, so the grid can only cover n rounded up to a multiple of 256. The threads past
// the end must do nothing: a guard sees to that.
//
//     ./ridge grade 01-kernel-basics/1-vector-add
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // a block

__global__ void add_one_element_a_thread(const float* a, const float* b, float* c, int n) {
  // TODO (about 3 lines): find this thread's element from blockIdx.x, blockDim.x and threadIdx.x; if it lies
  // below n, add it. Until you do, nothing is written to c.
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  // TODO (1 line): as many blocks as it takes to have a thread for each of the n elements.
  const int blocks = 1;
  add_one_element_a_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
