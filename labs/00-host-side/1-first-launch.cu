// The first launch: every element of an array gets its own index.
//
// A *kernel* is a function that many threads execute at the same time. A *launch* starts it:
//
//     kernel<<<blocks, threads, 0, stream>>>(arguments);
//
// starts `blocks` times `threads` threads: `blocks` groups (blocks) of `threads` threads each. The
// third number is the bytes of shared memory that are requested at the launch: 0 until lab 05.
// `stream` is the queue into which the launch is put; Ridgepoint gives you one. All threads execute
// the same code. What differs is what they read from four built-in variables:
//
//     threadIdx.x   this thread's place in its block: 0 .. blockDim.x - 1
//     blockIdx.x    this block's place in the grid of all blocks: 0 .. gridDim.x - 1
//     blockDim.x    threads per block
//     gridDim.x     blocks in the grid
//
// The threads of all blocks, put in one row, have the numbers 0, 1, 2, ... This number is the
// *global index* of a thread. With blocks of 4 threads, and n = 6:
//
//     block             0         1
//     threadIdx.x    0 1 2 3   0 1 2 3
//     global index   0 1 2 3   4 5 6 7
//     element        0 1 2 3   4 5          threads 6 and 7 have none, and must store nothing
//
// Predict before you run: which block and which thread stores element 900, with 256 threads per
// block? How many blocks does n = 1000 need, and how many threads of the last one have no element?
//
//     ./ridge grade 00-host-side/1-first-launch
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void store_global_index(float* out, int n) {
  // TODO (about 2 lines): compute this thread's global index; if there is an element with this
  // index, store it there. Until you do, nothing is written to out.
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  // TODO (about 2 lines): as many blocks as n elements need, and the launch on `stream`.
}
