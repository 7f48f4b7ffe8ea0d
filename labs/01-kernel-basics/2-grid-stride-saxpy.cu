// y = alpha * x + y, with a grid size that does not depend on n.
//
// Rung 1 starts one block per 256 elements: 262,144 blocks for n = 67,108,864. Each block does one
// addition per thread and is replaced. Here the grid is as large as the GPU can hold at once. Every
// thread starts at its index in the grid and advances by the number of threads in the grid until it
// passes the end:
//
//     grid of 4 threads, n = 10        element  0 1 2 3 4 5 6 7 8 9
//                                      thread   0 1 2 3 0 1 2 3 0 1
//
// At every iteration neighbouring threads access neighbouring elements: lab 02 shows why that
// matters.
//
//     ./ridge grade 01-kernel-basics/2-grid-stride-saxpy
#include <algorithm>

#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block
constexpr int kBlocksPerSm =
    8;  // 8 blocks of 256 threads are the 2048 that one SM of an H200 can hold

__global__ void saxpy_grid_stride(float alpha, const float* x, float* y, int n) {
  // TODO (about 3 lines): start at this thread's index in the grid, advance by the number of
  // threads in the grid, and stop at n. y is read and written: visit every element exactly once.
}

}  // namespace

extern "C" void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream) {
  int device = 0, sms = 0;  // streaming multiprocessors: 132 on an H200
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  // TODO (about 2 lines): kBlocksPerSm blocks on each SM, or fewer when n does not need them all.
  // This value is for one SM.
  const int blocks = kBlocksPerSm;
  saxpy_grid_stride<<<blocks, kThreads, 0, stream>>>(alpha, x, y, n);
}
