// What the TMA programs share: encoding a tensor map through the runtime, and the copy engine's instructions.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "check.h"

template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status{};
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &status), name);
  if (status != cudaDriverEntryPointSuccess) {
    std::printf("no %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function>(function);
}

// A tensor without gaps, dimension 0 first.
inline CUtensorMap tiled_map(CUtensorMapDataType type, int element_bytes, void* data,
                             std::initializer_list<uint64_t> sizes, std::initializer_list<uint32_t> box,
                             CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
                             CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) {
  cuuint64_t dims[5], strides[5];
  cuuint32_t boxes[5], ones[5];
  uint32_t rank = 0;
  uint64_t stride = static_cast<uint64_t>(element_bytes);
  for (const uint64_t size : sizes) {
    dims[rank] = size;
    stride *= size;
    strides[rank] = stride;
    boxes[rank] = box.begin()[rank];
    ones[rank] = 1;
    ++rank;
  }
  CUtensorMap map;
  const auto encode = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  const CUresult result =
      encode(&map, type, rank, data, dims, strides, boxes, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  if (result != CUDA_SUCCESS) {
    std::printf("cuTensorMapEncodeTiled: %d\n", static_cast<int>(result));
    std::exit(1);
  }
  return map;
}

__device__ inline uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void mbarrier_init(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}
// Makes initialised mbarriers known to the copy engine.
__device__ inline void mbarrier_publish() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void mbarrier_expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ inline void mbarrier_arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ inline void mbarrier_wait(uint64_t* barrier, uint32_t parity) {
  uint32_t done = 0;
  while (!done) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

__device__ inline void load_2d(void* to, const CUtensorMap* map, int x, int y, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], "
      "[%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}
__device__ inline void load_2d_to_blocks(void* to, const CUtensorMap* map, int x, int y, uint64_t* barrier,
                                         uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}
__device__ inline void store_2d(const CUtensorMap* map, int x, int y, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(shared_address(from))
               : "memory");
}
__device__ inline void add_2d(const CUtensorMap* map, int x, int y, const void* from) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
          map),
      "r"(x), "r"(y), "r"(shared_address(from))
      : "memory");
}
__device__ inline void load_bulk(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}
__device__ inline void store_bulk(void* to, const void* from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
// What threads wrote to shared memory is there for the copy engine.
__device__ inline void publish_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void close_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int kGroups>
__device__ void wait_groups() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kGroups) : "memory");
}
template <int kGroups>
__device__ void wait_groups_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kGroups) : "memory");
}
