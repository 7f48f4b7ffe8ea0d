// expect: SLOW
// Right, but each thread has its own chunk: a request of a warp accesses 32 sectors.
#include <algorithm>

#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // per block
constexpr int kBlocksPerSm =
    8;  // 8 blocks of 256 threads are the 2048 that one SM of an H200 can hold

__global__ void scale_unit_stride(const float* in, float factor, float* out, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int chunk = (n + threads - 1) / threads;
  for (int i = thread * chunk; i < min((thread + 1) * chunk, n); ++i)
    out[i] = in[i] * factor;
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int blocks = std::min((n + kThreads - 1) / kThreads, kBlocksPerSm * sms);
  scale_unit_stride<<<blocks, kThreads, 0, stream>>>(in, factor, out, n);
}
