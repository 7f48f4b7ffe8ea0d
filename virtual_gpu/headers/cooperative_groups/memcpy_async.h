// Cooperative groups: copies from global to shared memory by all threads of a group.
#pragma once

#include "cooperative_groups.h"
#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__)
namespace cooperative_groups {

// Copies `bytes` bytes: 16 at a time where addresses and size allow it, else 4, else single bytes without cp.async.
template <class Group>
__device__ void ridge_copy_bytes(const Group& group, char* to, const char* from, size_t bytes) {
  const size_t together = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  const size_t rank = group.thread_rank(), threads = group.size();
  if (together % 16 == 0) {
    for (size_t i = 16 * rank; i < bytes; i += 16 * threads)
      __pipeline_memcpy_async(to + i, from + i, 16);
  } else if (together % 4 == 0) {
    for (size_t i = 4 * rank; i < bytes; i += 4 * threads)
      __pipeline_memcpy_async(to + i, from + i, 4);
  } else {
    for (size_t i = rank; i < bytes; i += threads)
      to[i] = from[i];
  }
  __pipeline_commit();
}
template <class Group, class T>
__device__ void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  ridge_copy_bytes(group, reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes);
}
// Extents in elements: as many as the smaller of the two.
template <class Group, class T, class To, class From>
__device__ void memcpy_async(const Group& group, T* to, const To& room, const T* from,
                             const From& count) {
  const size_t elements = static_cast<size_t>(room) < static_cast<size_t>(count) ? room : count;
  ridge_copy_bytes(group, reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from),
                   elements * sizeof(T));
}
template <unsigned kStages, class Group>
__device__ void wait_prior(const Group& group) {
  __pipeline_wait_prior(kStages);
  group.sync();
}
template <class Group>
__device__ void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups
#endif
