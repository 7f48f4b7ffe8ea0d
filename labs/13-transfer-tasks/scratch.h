// Device memory for intermediate results of a call.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// At least `bytes` of device memory, a multiple of 256 bytes, valid until the next call of
// scratch(). Its contents are undefined. The first call with a larger size allocates, and frees
// what was there (cudaFree waits for kernels that use it); later calls cost nothing.
inline void* scratch(size_t bytes) {
  static void* memory = nullptr;
  static size_t held = 0;
  if (bytes > held) {
    cudaFree(memory);
    cudaMalloc(&memory, bytes);
    held = bytes;
  }
  return memory;
}
