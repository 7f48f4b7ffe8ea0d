// What the micro-kernels share: memory on the device, and an error that ends the program.
//
// Every kernel here does one thing to memory, so that one counter shows it. Each is launched once; compare_counters.py
// runs the programs under Nsight Compute and on the virtual GPU and pairs the launches by the kernel's name.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Device memory for the life of the program, zeroed: what is read is never uninitialised.
template <typename T>
T* device_array(size_t count) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, count * sizeof(T)));
  require(cudaMemset(memory, 0, count * sizeof(T)));
  return static_cast<T*>(memory);
}

inline void finish() {
  require(cudaGetLastError());
  require(cudaDeviceSynchronize());
}
