// A __device__ variable, a __constant__ one, a host callback and a line of output.
#include <cstdio>

#include "add.cuh"
namespace {
__device__ int calls;
__constant__ float one = 1;
__global__ void add_times_one(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * one + b[i];
  if (i == 0) atomicAdd(&calls, 1);
}
bool told = false;
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add_times_one<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
  if (!told) {
    cudaLaunchHostFunc(
        stream, [](void*) { std::puts("the first call is done"); }, nullptr);
    told = true;
  }
}
