// The naive kernel of vector_add: a thread takes 8 neighbours, so a warp's lanes are 32 bytes apart.
#include <cuda_runtime.h>

namespace {

constexpr int kChunk = 8, kThreads = 256;

__global__ void add_chunks(const float* a, const float* b, float* c, int n) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * kChunk;
  for (int i = begin; i < begin + kChunk && i < n; ++i)
    c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int threads = (n + kChunk - 1) / kChunk;
  add_chunks<<<(threads + kThreads - 1) / kThreads, kThreads, 0, stream>>>(a, b, c, n);
}
