// Sizes with a known alignment, and the copies of cuda::memcpy_async.
#pragma once

#include "cuda_pipeline_primitives.h"

namespace cuda {

// So many bytes; they, source and destination are multiples of kAlignment.
template <size_t kAlignment>
struct aligned_size_t {
  static constexpr size_t align = kAlignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

#if defined(__CUDA__)
namespace ridge {

template <class Size>
__host__ __device__ constexpr size_t bytes_of(Size size) {
  return static_cast<size_t>(size);
}
template <class Size>
struct AlignmentOf {
  static constexpr size_t kValue = 1;
};
template <size_t kAlignment>
struct AlignmentOf<aligned_size_t<kAlignment>> {
  static constexpr size_t kValue = kAlignment;
};
template <class Size>
__host__ __device__ constexpr size_t alignment_of() {
  return AlignmentOf<Size>::kValue;
}

// The group of a thread that copies on its own.
struct OneThread {
  __device__ size_t thread_rank() const { return 0; }
  __device__ size_t size() const { return 1; }
};

// By all threads of the group: 16, 8 or 4 bytes at a time by cp.async where addresses and size allow it and the copy
// is from global to shared memory, else single bytes.
template <class Group>
__device__ void copy_bytes(const Group& group, void* to, const void* from, size_t bytes) {
  char* const there = static_cast<char*>(to);
  const char* const here = static_cast<const char*>(from);
  const size_t together = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  const size_t rank = group.thread_rank(), threads = group.size();
  if (together % 4 == 0 && __isShared(to) && __isGlobal(from)) {
    const size_t width = together % 16 == 0 ? 16 : together % 8 == 0 ? 8 : 4;
    for (size_t i = width * rank; i < bytes; i += width * threads)
      __pipeline_memcpy_async(there + i, here + i, width);
  } else {
    for (size_t i = rank; i < bytes; i += threads)
      there[i] = here[i];
  }
}
__device__ __forceinline__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

}  // namespace ridge
#endif
}  // namespace cuda
