// Copies from global to shared memory: the primitives, and nvcuda::experimental's names for them.
#pragma once

#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__)
namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  __device__ pipeline() = default;
  __device__ size_t commit() {
    __pipeline_commit();
    return next_++;
  }
  template <unsigned kPending>
  __device__ void wait_prior() {
    __pipeline_wait_prior(kPending);
  }
  __device__ void commit_and_wait() {
    commit();
    wait_prior<0>();
  }

 private:
  size_t next_ = 0;
};

template <class T>
__device__ void memcpy_async(T& to, const T& from, pipeline&) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                "cp.async copies 4, 8 or 16 bytes");
  __pipeline_memcpy_async(&to, &from, sizeof(T));
}

}  // namespace experimental
}  // namespace nvcuda
#endif
