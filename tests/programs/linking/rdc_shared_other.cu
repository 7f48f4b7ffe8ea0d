#include "check.h"

__device__ int through_scratch(int value) {
  __shared__ int scratch[10 * 1024];
  scratch[threadIdx.x * 4] = value;
  __syncthreads();
  return scratch[(blockDim.x - 1 - threadIdx.x) * 4] + 1000;
}

__global__ void other(int* out) {
  __shared__ int tile[12 * 1000];
  tile[threadIdx.x] = threadIdx.x + 7;
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

void launch_other(int* out) {
  other<<<1, 64>>>(out);
  finish("other");
  int result[64];
  to_host(result, out, 64);
  printf("other: %d %d\n", result[0], result[63]);
}
