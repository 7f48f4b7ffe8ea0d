// Separate compilation puts the shared arrays of all kernels at module scope. A kernel has those that it and the
// functions that it calls name, so each of these launches has room.
#include "check.h"

__device__ int through_scratch(int value);  // rdc_shared_other.cu: uses 40 KB

__global__ void first(int* out) {
  __shared__ int tile[10 * 1024];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void second(int* out) {
  __shared__ int tile[11 * 1024];
  tile[threadIdx.x * 2] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = tile[(blockDim.x - 1 - threadIdx.x) * 2];
}

__global__ void calls(int* out) { out[threadIdx.x] = through_scratch(threadIdx.x); }

__global__ void dynamic(int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x * 5;
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

void launch_other(int* out);  // rdc_shared_other.cu

template <typename Kernel>
void show(const char* name, Kernel* kernel, int* out) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "attributes");
  int result[64];
  to_host(result, out, 64);
  printf("%s: %zu bytes of static shared memory, %d %d\n", name, attributes.sharedSizeBytes, result[0], result[63]);
}

int main() {
  int* out = device_array<int>(64);
  first<<<1, 64>>>(out);
  finish("first");
  show("first", first, out);
  second<<<1, 64>>>(out);
  finish("second");
  show("second", second, out);
  calls<<<1, 64>>>(out);
  finish("calls");
  show("calls", calls, out);
  check(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024), "200 KB");
  dynamic<<<1, 64, 200 * 1024>>>(out);
  finish("dynamic");
  show("dynamic", dynamic, out);
  launch_other(out);
}
