// An assertion that fails on the device sticks: every later call answers with it.
#include <cassert>

#include "check.h"

__global__ void halve(int* data) {
  assert(data[threadIdx.x] % 2 == 0);
  data[threadIdx.x] /= 2;
}

int main() {
  int *data = device_array<int>(32), host[32];
  for (int i = 0; i < 32; ++i)
    host[i] = 2 * i;
  to_device(data, host, 32);
  halve<<<1, 32>>>(data);
  finish("halve");
  to_host(host, data, 32);
  printf("%d %d\n", host[1], host[31]);
  halve<<<1, 32>>>(data);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronize: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  void* more = nullptr;
  printf("cudaMalloc: %s\n", cudaGetErrorName(cudaMalloc(&more, 16)));
  cudaError_t taken = cudaGetLastError();
  printf("the last error: %s, and once it was taken: %s\n", cudaGetErrorName(taken),
         cudaGetErrorName(cudaPeekAtLastError()));
  printf("it sticks: %s\n", cudaGetErrorName(cudaMalloc(&more, 16)));
}
