// Copies from global to shared memory without registers (cp.async), as functions.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)
// Bytes [size - fill, size) are filled with zeros and not read. size is 4, 8 or 16.
RIDGE_DEVICE void __pipeline_memcpy_async(void* __restrict__ to, const void* __restrict__ from,
                                          size_t size, size_t fill = 0) {
  const unsigned there = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const size_t global = __cvta_generic_to_global(from);
  const unsigned read = static_cast<unsigned>(size - fill);
  if (size == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(global),
                 "r"(read)
                 : "memory");
  } else if (size == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(there), "l"(global), "r"(read)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(there), "l"(global), "r"(read)
                 : "memory");
  }
}
RIDGE_DEVICE void __pipeline_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

namespace ridge_cuda {
template <int kPending>
RIDGE_DEVICE void wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}
}  // namespace ridge_cuda

// Waits until at most `pending` of this thread's newest groups are in flight; more than 8 wait as 8.
RIDGE_DEVICE void __pipeline_wait_prior(size_t pending) {
  switch (pending) {
    case 0:
      return ridge_cuda::wait_group<0>();
    case 1:
      return ridge_cuda::wait_group<1>();
    case 2:
      return ridge_cuda::wait_group<2>();
    case 3:
      return ridge_cuda::wait_group<3>();
    case 4:
      return ridge_cuda::wait_group<4>();
    case 5:
      return ridge_cuda::wait_group<5>();
    case 6:
      return ridge_cuda::wait_group<6>();
    case 7:
      return ridge_cuda::wait_group<7>();
    default:
      return ridge_cuda::wait_group<8>();
  }
}

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

RIDGE_DEVICE void __pipeline_arrive_on(__mbarrier_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
               : "memory");
}
#endif
