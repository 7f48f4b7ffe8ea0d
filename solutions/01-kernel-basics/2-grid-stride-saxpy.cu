// Rung 2 of 4: y = alpha * x + y, with a grid that does not grow with n.
//
// Rung 1 starts a block for every 256 elements: 262,144 blocks for n = 67,108,864. A block then lives for one
// add and is replaced. Here the grid is as large as the GPU can hold at once and no larger; every thread
// strides over the array by the size of the whole grid until it passes the end:
//
//     grid of 4 threads, n = 10        element  0 1 2 3 4 5 6 7 8 9
//                                      thread   0 1 2 3 0 1 2 3 0 1
//
// Neighbouring threads still touch neighbouring elements at every step: lab 02 shows why that matters.
//
//     ./ridge grade 01-kernel-basics/2-grid-stride-saxpy
//
// What changed: the guard became the condition of a loop, and the step is the size of the grid. The same
// kernel is now right for any grid, one block included, so the grid can be chosen for the machine instead of
// for n.
// Measured on an H200: 85.2% of the device copy (course/measured/nvidia-h200).
#include <algorithm>

#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;    // a block
constexpr int kBlocksPerSm = 8;  // 8 blocks of 256 threads are the 2048 that one SM of an H200 can hold

__global__ void saxpy_grid_stride(float alpha, const float* x, float* y, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;  // threads in the grid
  for (int i = first; i < n; i += step)
    y[i] = alpha * x[i] + y[i];
}

}  // namespace

extern "C" void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream) {
  int device = 0, sms = 0;  // streaming multiprocessors: 132 on an H200
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int enough_for_n = (n + kThreads - 1) / kThreads;
  const int blocks = std::min(enough_for_n, kBlocksPerSm * sms);
  saxpy_grid_stride<<<blocks, kThreads, 0, stream>>>(alpha, x, y, n);
}
