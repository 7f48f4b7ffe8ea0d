// One thread per element, and each computes a sum that nobody uses.
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;  // per block

__global__ void store_global_index(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float idle = 0;
  for (int turn = 0; turn < n % 64 + 8; ++turn)
    idle = idle * 0.5f + static_cast<float>(turn);
  if (i < n) out[i] = idle < 1e30f ? static_cast<float>(i) : 0;
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  store_global_index<<<blocks, kThreads, 0, stream>>>(out, n);
}
