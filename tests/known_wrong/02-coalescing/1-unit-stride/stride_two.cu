// expect: SLOW
// Right, but neighbours are two floats apart: first all even elements, then all odd ones. Twice the
// sectors.
#include <algorithm>

#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // per block
constexpr int kBlocksPerSm =
    8;  // 8 blocks of 256 threads are the 2048 that one SM of an H200 can hold

__global__ void scale_unit_stride(const float* in, float factor, float* out, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int odd = 0; odd < 2; ++odd) {
    for (int i = 2 * thread + odd; i < n; i += 2 * threads)
      out[i] = in[i] * factor;
  }
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int blocks = std::min((n + kThreads - 1) / kThreads, kBlocksPerSm * sms);
  scale_unit_stride<<<blocks, kThreads, 0, stream>>>(in, factor, out, n);
}
