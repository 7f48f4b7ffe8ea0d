// Every way to launch wrongly, and that none of them sticks.
#include "check.h"

__global__ void touch(int* data) {
  data[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(64) bounded(int* data) {
  data[threadIdx.x] = 2;
}

void show(const char* what) {
  cudaError_t seen = cudaPeekAtLastError();
  cudaError_t taken = cudaGetLastError();
  printf("%s: %s, cleared: %s\n", what, cudaGetErrorName(taken), cudaGetErrorName(cudaGetLastError()));
  if (seen == cudaSuccess) printf("  (nothing to peek at)\n");
}

int main() {
  int* data = device_array<int>(1024);
  touch<<<0, 32>>>(data);
  show("no blocks");
  touch<<<1, 0>>>(data);
  show("no threads");
  touch<<<1, 1025>>>(data);
  show("1025 threads");
  touch<<<1, dim3(1, 1, 65)>>>(data);
  show("65 deep");
  touch<<<dim3(1, 65536), 32>>>(data);
  show("65536 rows of blocks");
  touch<<<1, 32, 64 * 1024>>>(data);
  show("64 KB of shared memory");
  bounded<<<1, 65>>>(data);
  show("past the launch bounds");
  bounded<<<1, 64>>>(data);
  show("within the launch bounds");
  int first[2] = {};
  touch<<<1, 1>>>(data);
  to_host(first, data, 2);
  printf("still works: %d %d\n", first[0], first[1]);
}
