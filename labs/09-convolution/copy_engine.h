// Lab 09, rungs 6 and 7: what the copy engine needs for a convolution, beyond labs/include. There
// is nothing to edit here.
#pragma once

#include "convolution.h"
#include "hopper.cuh"

// Starts a copy in *im2col mode*: kPixels rows of the matrix of patches, at one point of the
// filter. The engine walks over the places of the filter, columns first, then rows, then images. It
// begins at the place (column, row, image), whose numbers are those of x under the filter's first
// point, so they may be negative. From each place it moves by (point_j, point_i), and copies the
// channels from `channel` on. What is outside x is zero, and so is what follows the last image.
__device__ inline void tma_load_im2col(void* to, const CUtensorMap* map, int channel, int column,
                                       int row, int image, int point_j, int point_i,
                                       uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(to)),
      "l"(map), "r"(channel), "r"(column), "r"(row), "r"(image), "r"(shared_address(bar)),
      "h"(static_cast<uint16_t>(point_j)), "h"(static_cast<uint16_t>(point_i))
      : "memory");
}

// Starts the copy of a box of filters: channels `channel` and on, at point `point`, of filter k and
// those after it.
__device__ inline void tma_load_filters(void* to, const CUtensorMap* map, int channel, int point,
                                        int k, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(map), "r"(channel), "r"(point), "r"(k), "r"(shared_address(bar))
      : "memory");
}

// The driver's function of this name; the runtime finds it, so that no -lcuda is needed.
template <typename Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
  return reinterpret_cast<Function*>(function);
}

// x [n][h][w][c] for tma_load_im2col: copies of `pixels` places and 64 channels, swizzled. The
// engine does not know the filter. It knows the *box of pixels* in which places begin: from `lower`
// on, up to `upper` before the end of the image, every `stride`:
//
//     columns   -padding ... 0 ... w - 1 ...        the first place begins at -padding, and the
//               [ box of pixels    ]                last one at w + padding - r or before:
//     lower = -padding, upper = padding - (r - 1)
inline CUtensorMap tensor_map_im2col(const __nv_bfloat16* x, const Shape& s, int pixels) {
  static const auto encode =
      driver_function<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  CUtensorMap map;
  const cuuint64_t c = s.c, w = s.w, h = s.h, n = s.n;
  const cuuint64_t size[] = {c, w, h, n}, bytes[] = {2 * c, 2 * c * w, 2 * c * w * h};
  const int lower[] = {-s.padding, -s.padding};
  const int upper[] = {s.padding - (s.r - 1), s.padding - (s.r - 1)};
  const cuuint32_t stride = s.stride, step[] = {1, stride, stride, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, const_cast<__nv_bfloat16*>(x), size, bytes,
         lower, upper, 64, pixels, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

// filter [k][r r][c] for tma_load_filters: a box is 64 channels of one point of `filters` filters,
// swizzled. Channels beyond c are zeros; in a matrix [k][r r c] they would be those of the next
// point.
inline CUtensorMap tensor_map_filters(const __nv_bfloat16* filter, const Shape& s, int filters) {
  static const auto encode =
      driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  CUtensorMap map;
  const cuuint64_t c = s.c, points = s.r * s.r, k = s.k;
  const cuuint64_t size[] = {c, points, k}, bytes[] = {2 * c, 2 * c * points};
  const cuuint32_t box[] = {64, 1, static_cast<cuuint32_t>(filters)}, step[] = {1, 1, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, const_cast<__nv_bfloat16*>(filter), size, bytes,
         box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

// Stores a consumer's 64 x 2 kCount accumulators as bf16 at (row, col) of y [pixels][k], 64 columns
// at a time: through a box of shared memory, [64][64], swizzled, which the copy engine stores.
// Nothing is stored outside y. map_y is tensor_map(y, pixels, k, 64).
template <int kCount>
__device__ void store_by_copy_engine(const float (&d)[kCount], __nv_bfloat16* box,
                                     const CUtensorMap* map_y, int row, int col) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  const int line = threadIdx.x % 128 / 32 * 16 + lane % 16;  // whose address this lane passes
  const bool leader = threadIdx.x % 128 == 0;
#pragma unroll
  for (int first = 0; first < kCount; first += 32) {  // the accumulators of 64 columns
    if (leader) tma_store_wait_read<0>();
    sync_warpgroup(group);  // the box is free
#pragma unroll
    for (int j = 0; j < 4; ++j) {  // 16 columns
      uint32_t rounded[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int at = first + j * 8 + 2 * i;
        const __nv_bfloat162 two = __floats2bfloat162_rn(d[at], d[at + 1]);
        rounded[i] = *reinterpret_cast<const uint32_t*>(&two);
      }
      stmatrix_x4(box + line * 64 + ((2 * j + lane / 16) ^ (line % 8)) * 8, rounded);
    }
    fence_proxy_async();
    sync_warpgroup(group);  // the box is full
    if (leader) tma_store(map_y, box, col + first * 2, row);
  }
}
