// cuda::device::experimental: bulk copies and copies of tensor boxes as functions (programming guide,
// "Asynchronous data copies using the Tensor Memory Accelerator"; PTX ISA, "cp.async.bulk"). cuda/barrier includes
// it.
#pragma once

#include "ridge_cuda/host/tensor_map_types.h"

namespace cuda {
namespace device {
namespace experimental {

using Barrier = ::cuda::barrier<::cuda::thread_scope_block>;

__device__ inline void fence_proxy_async_shared_cta() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int kGroups>
__device__ void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kGroups) : "memory");
}
template <int kGroups>
__device__ void cp_async_bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kGroups) : "memory");
}

__device__ inline void cp_async_bulk_global_to_shared(void* to, const void* from, unsigned bytes,
                                                      Barrier& bar) {
  ridge::bulk_copy(to, from, bytes, bar.native_handle());
}
__device__ inline void cp_async_bulk_shared_to_global(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(ridge::shared_address(from)), "r"(bytes)
               : "memory");
}

__device__ inline void cp_async_bulk_tensor_1d_global_to_shared(void* to, const CUtensorMap* map,
                                                                int c0, Barrier& bar) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2}], [%3];" ::"r"(ridge::shared_address(to)),
      "l"(map), "r"(c0), "r"(ridge::shared_address(bar.native_handle()))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap* map, int c0,
                                                                const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(map),
      "r"(c0), "r"(ridge::shared_address(from))
      : "memory");
}

__device__ inline void cp_async_bulk_tensor_2d_global_to_shared(void* to, const CUtensorMap* map,
                                                                int c0, int c1, Barrier& bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(ridge::shared_address(to)),
      "l"(map), "r"(c0), "r"(c1), "r"(ridge::shared_address(bar.native_handle()))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap* map, int c0,
                                                                int c1, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(c0), "r"(c1), "r"(ridge::shared_address(from))
      : "memory");
}

__device__ inline void cp_async_bulk_tensor_3d_global_to_shared(void* to, const CUtensorMap* map,
                                                                int c0, int c1, int c2,
                                                                Barrier& bar) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(ridge::shared_address(to)),
      "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(ridge::shared_address(bar.native_handle()))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap* map, int c0,
                                                                int c1, int c2, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
          map),
      "r"(c0), "r"(c1), "r"(c2), "r"(ridge::shared_address(from))
      : "memory");
}

__device__ inline void cp_async_bulk_tensor_4d_global_to_shared(void* to, const CUtensorMap* map,
                                                                int c0, int c1, int c2, int c3,
                                                                Barrier& bar) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(ridge::shared_address(to)),
      "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(ridge::shared_address(bar.native_handle()))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap* map, int c0,
                                                                int c1, int c2, int c3,
                                                                const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::
          "l"(map),
      "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(ridge::shared_address(from))
      : "memory");
}

__device__ inline void cp_async_bulk_tensor_5d_global_to_shared(void* to, const CUtensorMap* map,
                                                                int c0, int c1, int c2, int c3,
                                                                int c4, Barrier& bar) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(ridge::shared_address(to)),
      "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4),
      "r"(ridge::shared_address(bar.native_handle()))
      : "memory");
}
__device__ inline void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap* map, int c0,
                                                                int c1, int c2, int c3, int c4,
                                                                const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::
          "l"(map),
      "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "r"(ridge::shared_address(from))
      : "memory");
}

}  // namespace experimental
}  // namespace device
}  // namespace cuda
