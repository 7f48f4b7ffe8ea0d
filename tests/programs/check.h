// Every call of these programs is checked: a wrong code ends the program with its name.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}

template <typename T>
T* device_array(size_t count) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, count * sizeof(T)), "cudaMalloc");
  return static_cast<T*>(pointer);
}

template <typename T>
void to_device(T* device, const T* host, size_t count) {
  check(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice), "to_device");
}

template <typename T>
void to_host(T* host, const T* device, size_t count) {
  check(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost), "to_host");
}

inline void finish(const char* what) {
  check(cudaGetLastError(), what);
  check(cudaDeviceSynchronize(), what);
}
