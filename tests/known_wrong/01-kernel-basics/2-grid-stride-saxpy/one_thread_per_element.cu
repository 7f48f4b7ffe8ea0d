// expect: SLOW
// Right, but the grid grows with n: one block per 256 elements.
#include <algorithm>

#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void saxpy_grid_stride(float alpha, const float* x, float* y, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;  // threads in the grid
  for (int i = first; i < n; i += step)
    y[i] = alpha * x[i] + y[i];
}

}  // namespace

extern "C" void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream) {
  const int enough_for_n = (n + kThreads - 1) / kThreads;
  const int blocks = std::min(enough_for_n, 1 << 30);
  saxpy_grid_stride<<<blocks, kThreads, 0, stream>>>(alpha, x, y, n);
}
