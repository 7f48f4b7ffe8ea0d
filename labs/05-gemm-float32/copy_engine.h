// Lab 05, last rung: the copy engine (TMA) and the barriers that say when its copies have landed.
//
// An **mbarrier** is 8 bytes in shared memory that count one phase after the other. A phase ends when as many
// arrivals have come as it was made for, and as many bytes have landed as were expected. Who waits names the
// parity of the phase, 0 for the first, 1 for the second, 0 again: wait(bar, parity) returns once that has
// ended.
//
//     init(bar, arrivals)     one thread, before anybody uses it; then a barrier of the whole block
//     expect(bar, bytes)      an arrival, and: so many bytes are on their way to this phase
//     load_box(..., bar)      one thread starts a copy of a whole box of a matrix; landed bytes count at bar
//     arrive(bar)             an arrival
//
// A **tensor map** describes a matrix to the copy engine: address, sizes, the length of a row in bytes (a
// multiple of 16), the box, and how the box lies in shared memory. What lies outside of the matrix arrives as
// 0. With SWIZZLE_128B the box is 128 bytes wide, and piece p of 16 bytes of row r lies at place p ^ (r % 8).
#pragma once

#include <cuda.h>

#include <cstdint>

#include "gemm_float32.h"

// Addresses of shared memory are numbers of 32 bits here, as the instructions want them.
__device__ inline void init(uint32_t bar, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(arrivals));
}
__device__ inline void arrive(uint32_t bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ inline void expect(uint32_t bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ inline void wait(uint32_t bar, int parity) {
  asm volatile(
      "{ .reg .pred p; again%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again%=; }" ::"r"(
          bar),
      "r"(parity)
      : "memory");
}

// The box of `map` that begins at row y, column x.
__device__ inline void load_box(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(bar)
      : "memory");
}

__device__ inline float4 load4(uint32_t from) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(from));
  return v;
}
__device__ inline void store4(uint32_t to, float x, float y, float z, float w) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(x), "f"(y), "f"(z), "f"(w)
               : "memory");
}

// A map of a matrix of rows x cols floats, row after row; cols is a multiple of 4. The driver writes maps: we
// ask the runtime for its function, so that nothing has to be linked.
inline CUtensorMap box_map(const float* matrix, int rows, int cols, int box_rows, int box_cols,
                           CUtensorMapSwizzle swizzle) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  CUtensorMap map;
  const cuuint64_t size[] = {static_cast<cuuint64_t>(cols),
                             static_cast<cuuint64_t>(rows)};  // [columns, rows]
  const cuuint64_t row_bytes[] = {static_cast<cuuint64_t>(cols) * 4};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_cols), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t step[] = {1, 1};  // every element
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(matrix), size, row_bytes, box, step,
         CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
