// The mbarriers of shared memory as functions of their addresses (PTX ISA, "mbarrier").
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)
namespace cuda {
namespace ridge {

RIDGE_DEVICE unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
// The fence makes the initialisation visible to the copy engine, for cuda::memcpy_async.
RIDGE_DEVICE void mbarrier_init(unsigned long long* bar, unsigned count) {
  asm volatile(
      "mbarrier.init.shared.b64 [%0], %1;\n"
      "\tfence.mbarrier_init.release.cluster;" ::"r"(shared_address(bar)),
      "r"(count)
      : "memory");
}
RIDGE_DEVICE void mbarrier_inval(unsigned long long* bar) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
RIDGE_DEVICE unsigned long long mbarrier_arrive(unsigned long long* bar, unsigned count) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(shared_address(bar)), "r"(count)
               : "memory");
  return state;
}
RIDGE_DEVICE void mbarrier_arrive_drop(unsigned long long* bar) {
  asm volatile(
      "{ .reg .b64 state; mbarrier.arrive_drop.shared.b64 state, [%0]; }" ::"r"(shared_address(bar))
      : "memory");
}
RIDGE_DEVICE void mbarrier_expect_tx(unsigned long long* bar, unsigned bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)),
      "r"(bytes)
      : "memory");
}
RIDGE_DEVICE bool mbarrier_try_wait(unsigned long long* bar, unsigned long long state) {
  int done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(shared_address(bar)), "l"(state)
               : "memory");
  return done != 0;
}
RIDGE_DEVICE bool mbarrier_try_wait_parity(unsigned long long* bar, unsigned parity) {
  int done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(shared_address(bar)), "r"(parity)
      : "memory");
  return done != 0;
}
// Arrives when this thread's copies by cp.async so far are complete; the pending count grows by one first.
RIDGE_DEVICE void mbarrier_arrive_after_copies(unsigned long long* bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
// `bytes` is a multiple of 16, and so are the addresses. The bytes count as transactions of the barrier.
RIDGE_DEVICE void bulk_copy(void* to, const void* from, unsigned bytes, unsigned long long* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(bar))
      : "memory");
}

}  // namespace ridge
}  // namespace cuda
#endif
