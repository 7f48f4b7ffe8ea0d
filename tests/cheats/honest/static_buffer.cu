// Keeps a device buffer from call to call, as libraries do for their workspace; every call writes it anew.
#include "add.cuh"

namespace {
float* workspace = nullptr;
int capacity = 0;
__global__ void add_from(const float* a, const float* b, float* c, int n, float* block_first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
  if (threadIdx.x == 0 && i < n) block_first[blockIdx.x] = a[i];
}
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  if (blocks_for(n) > capacity) {
    cudaFree(workspace);
    capacity = blocks_for(n);
    cudaMalloc(&workspace, sizeof(float) * capacity);
  }
  add_from<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n, workspace);
}
