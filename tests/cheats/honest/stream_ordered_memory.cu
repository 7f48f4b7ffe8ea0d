// Allocates and frees on the stream in every call.
#include "add.cuh"

namespace {
__global__ void first_of_block(const float* a, float* first, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * kThreads;
  if (i < n) first[i / kThreads] = a[i];
}
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  float* room = nullptr;
  cudaMallocAsync(&room, sizeof(float) * blocks_for(n), stream);
  first_of_block<<<blocks_for(blocks_for(n)), kThreads, 0, stream>>>(a, room, n);
  add<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
  cudaFreeAsync(room, stream);
}
