// Past the library: a window of the image in shared memory, for layers with few channels.
//
// The first layer of a network has 3 channels (here 8, the others are zeros), filters of 7 x 7 and
// stride 2. Rung 6 is slow there: a k-step has 64 channels of one point, and 56 of them do not
// exist. And each pixel is copied once per point of the filter. This rung copies a tile's part of
// the image once, the *window*, and lets wgmma read the patches out of it.
//
// Without a swizzle an operand of wgmma is made of *core matrices*: 8 rows of 16 bytes, one behind
// the other. With 8 channels a row is a pixel, so 8 neighbouring pixels of the window, wherever
// they begin, are a core matrix. A descriptor names three things (window_desc):
//
//     start    the first row of the first core matrix: the pixel under the filter's point
//     leading  from the first 8 terms to the second 8: to another point, or another 8 channels
//     step     from 8 rows to the next 8 rows: to the outputs below, `stride` rows of the window
//
// So a tile has 16 rows of 8 outputs, and a k-step of 16 terms is two *units* of 8 channels at a
// point. No pixel moves. With stride 2, neighbouring outputs need every second column, so the
// window has two planes, the even columns and the odd ones: the copy engine steps over columns
// (elementStrides).
//
//     tile of 8 x 16 outputs, filter of 7 x 7, stride 2        window [plane][group][row][column]
//                                                              37 rows, 11 + 11 columns
//     loaded per output: 6.4 pixels, where rung 6 loads 49
//
// The pixels are operand b (128 rows), and 64 filters are operand a: wgmma computes y transposed,
// and stmatrix transposes it back. The filters remain in shared memory. Two consumers compute
// different tiles, so that one stores while the other multiplies.
//
// What is the same in every such kernel is in window.cuh. Layers with more channels take the kernel
// of rung 6 with persistent pairs of blocks (pairs.cuh), or, where there are tiles for less than
// half of the SMs, with split sums (split.cuh).
//
//     ./ridge grade 09-convolution/7-past-the-library
//
// Hypothesis: the first layer is limited by zeros and by copies, not by its products.
// What changed from rung 6: a pixel is copied once per tile, and a step has no zeros.
// What that bought: in the first layer each pixel is copied once, and no k-step has zeros.
// Measured on an H200: 448.2% of cuDNN (course/measured/nvidia-h200).
#include "hopper.cuh"
#include "pairs.cuh"
#include "window.cuh"

namespace {

// The vector of the window that lies under a unit for output (0, 0) of the tile.
__device__ int place(const Window& w, const Unit& unit) {
  return unit.j % w.planes * w.plane + (unit.group * w.rows + unit.i) * w.columns +
         unit.j / w.planes;
}

// The descriptor of operand b for units 2 * step and the next, without the window's address. All
// fields are in 16 bytes: leading in bits 16 to 29, step in bits 32 to 45.
__device__ uint64_t window_desc(const Window& w, int step) {
  const int first = place(w, Unit(w, 2 * step));
  const int second = 2 * step + 1 < w.units ? place(w, Unit(w, 2 * step + 1)) : first;
  const uint64_t leading = second - first, next_rows = w.s.stride * w.columns;
  return first | leading << 16 | next_rows << 32;
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

// Every second tile of this block.
__device__ void consume(const Shared& shared, const CUtensorMap* map_y, const Window& w, int k0) {
  const int group = threadIdx.x / 128;
  float d[kPixels / 2] = {};  // accumulators: this thread's part of 64 filters x 128 pixels
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

void convolve_few_channels(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                           const Window& w, cudaStream_t stream) {
  const int bytes = w.shared_bytes_but_stages() + w.stages * w.bytes();
  const int across = (w.s.k + kFilters - 1) / kFilters;
  const dim3 grid(min(w.tiles, max(1, multiprocessors() / across)), across);
  cudaFuncSetAttribute(convolve_windows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  convolve_windows<<<grid, kThreads, bytes, stream>>>(
      map_of_windows(x, w), reinterpret_cast<const uint4*>(filter), map_of_tiles(y, w), w);
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
