// The program of environment_test.cpp: launches in and outside a profiler range.
#include <cuda_profiler_api.h>

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

__global__ void scale(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2.0f;
}

__global__ void with_shared(float* data) {
  __shared__ float tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void shuffle_outside_mask(float* data) {
  data[threadIdx.x] = __shfl_sync(1u, data[threadIdx.x], 0);
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
  float* data = nullptr;
  if (cudaMalloc(&data, 1024 * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 1024 * sizeof(float));
  scale<<<4, 256>>>(data, 1000);
  cudaProfilerStart();
  scale<<<8, 128>>>(data, 1024);
  with_shared<<<1, 256>>>(data);
  cudaProfilerStop();
  if (std::strcmp(what, "again") == 0) scale<<<4, 256>>>(data, 1000);
  if (std::strcmp(what, "fault") == 0) scale<<<5, 256>>>(data, 1100);
  if (std::strcmp(what, "signal") == 0) {  // to the thread that executes the kernel
    std::thread([self = pthread_self()] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      pthread_kill(self, SIGSEGV);
    }).detach();
    wait_for<<<1, 1>>>(reinterpret_cast<volatile int*>(data));
    cudaDeviceSynchronize();
  }
  if (std::strcmp(what, "mask") == 0) shuffle_outside_mask<<<1, 32>>>(data);
  if (std::strcmp(what, "leak") != 0) cudaFree(data);
  std::printf("%s: %s\n", properties.name, cudaGetErrorName(cudaDeviceSynchronize()));
}
