// expect: WRONG
// says: is the result of doing the work twice on the first values of y
// Every element is done twice.
#include <algorithm>

#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block
constexpr int kBlocksPerSm =
    8;  // 8 blocks of 256 threads are the 2048 that one SM of an H200 can hold

__global__ void saxpy_grid_stride(float alpha, const float* x, float* y, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;  // threads in the grid
  for (int i = first; i < n; i += step) {
    y[i] = alpha * x[i] + y[i];
    y[i] = alpha * x[i] + y[i];
  }
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
