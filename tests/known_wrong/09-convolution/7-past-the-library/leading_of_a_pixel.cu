// expect: WRONG
// The second unit of a pair is taken for the next pixel.
#include "pairs.cuh"

namespace {

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

// 8 channels at a point of the filter. Units are ordered as they lie in the window, so that the
// second of a pair lies behind the first.
struct Unit {
  int group, i, j;
  __device__ Unit(const Window& w, int unit) {
    const int r = w.s.r, even = (r + w.planes - 1) / w.planes;  // points of a row in plane 0
    const int in_plane_0 = w.groups * r * even, plane = unit >= in_plane_0;
    const int across = plane ? r - even : even, at = unit - plane * in_plane_0;
    group = at / (r * across);
    i = at / across % r;
    j = at % across * w.planes + plane;
  }
  // The vector of the window that lies under this unit for output (0, 0) of the tile.
  __device__ int place(const Window& w) const {
    return j % w.planes * w.plane + (group * w.rows + i) * w.columns + j / w.planes;
  }
};

// The descriptor of operand b for units 2 * step and the next, without the window's address. All
// fields are in 16 bytes: leading in bits 16 to 29, step in bits 32 to 45.
__device__ uint64_t window_desc(const Window& w, int step) {
  const int first = Unit(w, 2 * step).place(w);
  const int second = 2 * step + 1 < w.units ? Unit(w, 2 * step + 1).place(w) : first;
  const uint64_t leading = second > first, next_rows = w.s.stride * w.columns;
  return first | leading << 16 | next_rows << 32;
}

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
__device__ void load_filters(const Shared& shared, const uint4* filter, const Window& w, int k0) {
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
__device__ void tma_load_plane(void* to, const CUtensorMap* map, int column, int row, int image,
                               uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared_address(to)),
      "l"(map), "r"(0), "r"(column), "r"(row), "r"(image), "r"(0), "r"(shared_address(bar))
      : "memory");
}

__device__ void produce(const Shared& shared, const CUtensorMap* map_x, const Window& w) {
  int stage = 0, parity = 0;
  for (int tile = blockIdx.x; tile < w.tiles; tile += gridDim.x) {
    const int column = tile % w.tiles_x * kWide * w.s.stride - w.s.padding;
    const int row = tile / w.tiles_x % w.tiles_y * kHigh * w.s.stride - w.s.padding;
    wait(&shared.empty[stage], parity ^ 1);
    expect_bytes(&shared.full[stage], w.copied_bytes());
    for (int plane = 0; plane < w.planes; ++plane)
      tma_load_plane(shared.window(w, stage) + plane * w.plane * 16, map_x, column + plane, row,
                     tile / w.tiles_x / w.tiles_y, &shared.full[stage]);
    if (++stage == w.stages) stage = 0, parity ^= 1;
  }
}

// Stores y^T of this consumer, 64 filters x 128 pixels: transposed, as [pixel][filter], through
// shared memory. The copy engine leaves out what lies outside y.
__device__ void store_transposed(unsigned char* to, const float (&d)[kPixels / 2],
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

// Every second tile of this block.
__device__ void consume(const Shared& shared, const CUtensorMap* map_y, const Window& w, int k0) {
  const int group = threadIdx.x / 128;
  float d[kPixels / 2];  // accumulators: this thread's part of 64 filters x 128 pixels
  const uint64_t filters = uint64_t{shared_address(shared.memory + shared.filters) >> 4} |
                           uint64_t{kFilters} << 16 | uint64_t{8} << 32;  // operand a, step 0
  for (int tile = blockIdx.x + group * gridDim.x, n = group; tile < w.tiles;
       tile += kConsumers * gridDim.x, n += kConsumers) {
    const int stage = n % w.stages;
    const uint64_t window = shared_address(shared.window(w, stage)) >> 4;
    wait(&shared.full[stage], n / w.stages % 2);
    wgmma_fence();
    for (int step = 0; step < w.steps; ++step)
      wgmma(d, filters + 2 * kFilters * step, window + shared.descs[step], step > 0);
    wgmma_commit();
    wgmma_wait_all(d);
    if (threadIdx.x % 32 == 0) arrive(&shared.empty[stage]);
    store_transposed(shared.memory + group * kOutBytes, d, map_y, k0, tile % w.tiles_x * kWide,
                     tile / w.tiles_x % w.tiles_y * kHigh, tile / w.tiles_x / w.tiles_y);
  }
  if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
}

__global__ void __launch_bounds__(kThreads, 1)
    convolve_windows(const __grid_constant__ CUtensorMap map_x, const uint4* filter,
                     const __grid_constant__ CUtensorMap map_y, const Window w) {
  extern __shared__ unsigned char memory[];
  const Shared shared(memory, w);
  const int k0 = blockIdx.y * kFilters;
  load_filters(shared, filter, w, k0);
  for (int step = threadIdx.x; step < w.steps; step += kThreads)
    shared.descs[step] = window_desc(w, step);
  fence_proxy_async();  // the tensor cores read what threads wrote
  if (threadIdx.x == 0) {
    for (int i = 0; i < w.stages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4);  // the warps of one consumer
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128 * kConsumers) {
    if (threadIdx.x == 128 * kConsumers) produce(shared, &map_x, w);
  } else {
    consume(shared, &map_y, w, k0);
  }
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

void convolve_few_channels(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                           const Window& w, cudaStream_t stream) {
  const Shape& s = w.s;
  const cuuint64_t c = s.c, k = s.k, n = s.n, width = s.w, height = s.h, q = s.q, p = s.p;
  const cuuint32_t groups = w.groups, rows = w.rows, columns = w.columns * s.stride;
  const CUtensorMap map_x = window_map<5>(
      x, {8, width, height, n, groups}, {2 * c, 2 * c * width, 2 * c * width * height, 16},
      {8, columns, rows, 1, groups}, s.stride, CU_TENSOR_MAP_SWIZZLE_NONE);
  const CUtensorMap map_y =
      window_map<4>(y, {k, q, p, n}, {2 * k, 2 * k * q, 2 * k * q * p}, {kFilters, kWide, kHigh, 1},
                    1, CU_TENSOR_MAP_SWIZZLE_128B);
  const int bytes = w.shared_bytes_but_stages() + w.stages * w.bytes();
  const int across = (s.k + kFilters - 1) / kFilters;
  const dim3 grid(min(w.tiles, max(1, multiprocessors() / across)), across);
  cudaFuncSetAttribute(convolve_windows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  convolve_windows<<<grid, kThreads, bytes, stream>>>(map_x, reinterpret_cast<const uint4*>(filter),
                                                      map_y, w);
}

}  // namespace

extern "C" void convolution(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                            int n, int h, int w, int c, int k, int r, int stride, int padding,
                            cudaStream_t stream) {
  const Shape s = {n, h, w, c, k, r, stride, padding};
  const Window window(s);
  if (c < 64 && window.stages >= 2)
    convolve_few_channels(x, filter, y, window, stream);
  else
    convolve_many_channels(x, filter, y, s, stream);
}
