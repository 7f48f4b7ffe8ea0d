// CUB: two buffers, of which one is current.
#pragma once

#include "cuda_runtime.h"

namespace cub {

template <class T>
struct DoubleBuffer {
  T* d_buffers[2];
  int selector;  // the current buffer's index

  __host__ __device__ DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  __host__ __device__ DoubleBuffer(T* current, T* alternate)
      : d_buffers{current, alternate}, selector(0) {}
  __host__ __device__ T* Current() { return d_buffers[selector]; }
  __host__ __device__ T* Alternate() { return d_buffers[selector ^ 1]; }
};

}  // namespace cub
