// Lab 09, rung 7: the window of the image under a tile, its units, shared memory, filters, stores
// and tensor maps. There is nothing to edit here.
#pragma once

#include "copy_engine.h"
#include "hopper.cuh"

constexpr int kWide = 8, kHigh = 16, kPixels = kWide * kHigh;  // outputs of a tile
constexpr int kFilters = 64, kConsumers = 2, kMostStages = 6;
constexpr int kThreads = (kConsumers + 1) * 128;
constexpr int kOutBytes = kPixels * kFilters * 2;  // of a tile of y

// What lies under a tile: [planes][groups][rows][columns] vectors of 8 channels, and the sum's
// terms as pairs of units.
struct Window {
  Shape s;
  int groups, columns, rows, plane, planes;  // plane: vectors, rounded up to 128 bytes
  int units, steps, stages;
  int tiles_x, tiles_y, tiles;

  explicit Window(const Shape& shape) : s(shape) {
    groups = s.c / 8;
    planes = s.stride;
    columns = kWide + (s.r - 1) / s.stride;
    rows = s.stride * (kHigh - 1) + s.r;
    plane = (groups * rows * columns + 7) / 8 * 8;
    units = s.r * s.r * groups;
    steps = (units + 1) / 2;
    const int left = 227 * 1024 - shared_bytes_but_stages();
    stages = left > 0 ? min(kMostStages, left / bytes()) : 0;
    tiles_x = (s.q + kWide - 1) / kWide;
    tiles_y = (s.p + kHigh - 1) / kHigh;
    tiles = tiles_x * tiles_y * s.n;
  }
  __host__ __device__ int bytes() const { return planes * plane * 16; }
  __host__ __device__ int copied_bytes() const { return planes * groups * rows * columns * 16; }
  __host__ __device__ int filter_bytes() const { return steps * 2 * kFilters * 16; }
  int shared_bytes_but_stages() const {  // 1024: to align
    return 1024 + kConsumers * kOutBytes + filter_bytes() + steps * 8 + 2 * kMostStages * 8;
  }
};

// 8 channels at a point of the filter. Units are numbered as they lie in the window, so that the
// second of a pair lies behind the first.
struct Unit {
  int group, i, j;  // channels 8 group and on, at point (i, j)
  __device__ Unit(const Window& w, int unit) {
    const int r = w.s.r, even = (r + w.planes - 1) / w.planes;  // points of a row in plane 0
    const int in_plane_0 = w.groups * r * even, plane = unit >= in_plane_0;
    const int across = plane ? r - even : even, at = unit - plane * in_plane_0;
    group = at / (r * across);
    i = at / across % r;
    j = at % across * w.planes + plane;
  }
};

struct Shared {
  unsigned char* memory;  // [kConsumers] tiles of y, the filters, the windows, and then:
  uint64_t *descs, *full, *empty;
  int filters, windows;  // offsets

  __device__ Shared(unsigned char* start, const Window& w)
      : memory(start + (1024 - shared_address(start) % 1024) % 1024),
        filters(kConsumers * kOutBytes),
        windows(filters + w.filter_bytes()) {
    descs = reinterpret_cast<uint64_t*>(memory + windows + w.stages * w.bytes());
    full = descs + w.steps;
    empty = full + kMostStages;
  }
  __device__ unsigned char* window(const Window& w, int stage) const {
    return memory + windows + stage * w.bytes();
  }
};

// Filters k0 .. k0 + 63 as operand a: [unit][filter][8], so 8 filters of a unit are a core matrix.
// What does not exist is zero.
__device__ inline void load_filters(const Shared& shared, const uint4* filter, const Window& w,
                                    int k0) {
  for (int i = threadIdx.x; i < w.steps * 2 * kFilters; i += kThreads) {
    const int u = i / kFilters, k = i % kFilters;
    uint4 weights = {};
    if (u < w.units && k0 + k < w.s.k) {
      const Unit unit(w, u);
      weights =
          filter[((k0 + k) * w.s.r * w.s.r + unit.i * w.s.r + unit.j) * w.groups + unit.group];
    }
    reinterpret_cast<uint4*>(shared.memory + shared.filters)[u * kFilters + k] = weights;
  }
}

// A copy of a plane: every `stride`-th column from `column` on, all rows and groups of the window.
__device__ inline void tma_load_plane(void* to, const CUtensorMap* map, int column, int row,
                                      int image, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared_address(to)),
      "l"(map), "r"(0), "r"(column), "r"(row), "r"(image), "r"(0), "r"(shared_address(bar))
      : "memory");
}

// Stores y^T of this consumer, 64 filters x 128 pixels: transposed, as [pixel][filter], through
// shared memory. The copy engine leaves out what lies outside y.
__device__ inline void store_transposed(unsigned char* to, const float (&d)[kPixels / 2],
                                        const CUtensorMap* map_y, int k0, int q, int p, int image) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32, matrix = lane / 8;
  const bool leader = threadIdx.x % 128 == 0;
  if (leader) tma_store_wait_read<0>();
  sync_warpgroup(threadIdx.x / 128);  // the place is free
#pragma unroll
  for (int j = 0; j < kHigh; j += 2) {  // 16 pixels: four matrices of 8 filters x 8 pixels
    uint32_t rounded[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __nv_bfloat162 two = __floats2bfloat162_rn(d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
      rounded[i] = *reinterpret_cast<const uint32_t*>(&two);
    }
    const int pixel = 8 * (j + matrix / 2) + lane % 8, piece = warp * 2 + matrix % 2;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(to + pixel * 128 + (piece ^ pixel % 8) * 16)),
                 "r"(rounded[0]), "r"(rounded[1]), "r"(rounded[2]), "r"(rounded[3])
                 : "memory");
  }
  fence_proxy_async();
  sync_warpgroup(threadIdx.x / 128);  // the tile is there
  if (!leader) return;
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(
          map_y),
      "r"(shared_address(to)), "r"(k0), "r"(q), "r"(p), "r"(image)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// A map of four or five dimensions, the first of them contiguous.
template <int kRank>
CUtensorMap window_map(const __nv_bfloat16* array, const cuuint64_t (&size)[kRank],
                       const cuuint64_t (&bytes)[kRank - 1], const cuuint32_t (&box)[kRank],
                       cuuint32_t column_step, CUtensorMapSwizzle swizzle) {
  static const auto encode =
      driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  CUtensorMap map;
  const cuuint32_t step[] = {1, column_step, 1, 1, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, kRank, const_cast<__nv_bfloat16*>(array), size,
         bytes, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
         CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

// x as the windows of it: every s.stride-th column.
inline CUtensorMap map_of_windows(const __nv_bfloat16* x, const Window& w) {
  const Shape& s = w.s;
  const cuuint64_t c = s.c, n = s.n, width = s.w, height = s.h;
  const cuuint32_t groups = w.groups, rows = w.rows, columns = w.columns * s.stride;
  return window_map<5>(x, {8, width, height, n, groups},
                       {2 * c, 2 * c * width, 2 * c * width * height, 16},
                       {8, columns, rows, 1, groups}, s.stride, CU_TENSOR_MAP_SWIZZLE_NONE);
}

// y as tiles of 8 x 16 pixels and 64 filters, swizzled.
inline CUtensorMap map_of_tiles(__nv_bfloat16* y, const Window& w) {
  const cuuint64_t k = w.s.k, n = w.s.n, q = w.s.q, p = w.s.p;
  return window_map<4>(y, {k, q, p, n}, {2 * k, 2 * k * q, 2 * k * q * p},
                       {kFilters, kWide, kHigh, 1}, 1, CU_TENSOR_MAP_SWIZZLE_128B);
}
