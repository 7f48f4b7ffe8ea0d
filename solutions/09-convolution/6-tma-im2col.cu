// TMA's im2col mode and wgmma: the copy engine computes the addresses.
//
// In rung 5 every thread finds addresses, compares them with the image and starts copies, between
// MMAs. The copy engine of Hopper has a mode for this work. A copy is told where in the image the
// first row of the tile lies, and which point of the filter it is for. It finds the other rows by
// itself, with zeros outside the image (copy_engine.h):
//
//     tma_load_im2col(tile, map, channel, column, row, image, j, i, full)
//
//     rows of the tile     192 places of the filter, from (column, row, image) on
//     columns              64 channels, from `channel` on, of the pixel under point (i, j)
//
// So a k-step is 64 channels of one point, and one thread starts two copies for it: the pixels and
// the filters. The rest is rung 7 of lab 06: a producer, consumers, full and empty mbarriers. The
// results are stored by the copy engine, too (store_by_copy_engine).
//
// The tile has 192 x 128 outputs, for three consumers of 64 rows each. A layer of 14 x 14 pixels,
// 32 images and 512 filters is 33 x 4 = 132 such tiles: one for each SM of an H100 or H200.
//
//     ./ridge grade 09-convolution/6-tma-im2col
//
// Hypothesis: rung 5 is limited by mma.sync, and by the instructions of its copies.
// What changed from rung 5: the copies, the MMAs, the stores, and roles instead of barriers.
// What that bought: no thread computes an address, and wgmma reads the tiles where they arrive.
// Measured on an H200: 99.8% of cuDNN (course/measured/nvidia-h200).
#include "convolution.h"
#include "copy_engine.h"

namespace {

constexpr int kTileM = 192, kTileN = 128, kTileK = 64, kStages = 4;
constexpr int kConsumers = 3,
              kThreads = (kConsumers + 1) * 128;  // warpgroups: 64 rows each, and a producer

struct Shared {
  alignas(1024) __nv_bfloat16 pixels[kStages][kTileM * kTileK];   // [kTileM][kTileK], swizzled
  alignas(1024) __nv_bfloat16 filters[kStages][kTileN * kTileK];  // [kTileN][kTileK], swizzled
  alignas(1024) __nv_bfloat16 y[kConsumers][64 * 64];             // a box each, swizzled
  uint64_t full[kStages], empty[kStages];
};
constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align

struct PipelineState {  // the current stage and the parity of its phase
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

__device__ void produce(Shared& shared, const CUtensorMap* map_x, const CUtensorMap* map_filter,
                        const Shape& s, int row0, int col0) {
  PipelineState at;
  const int q = row0 % s.q, p = row0 / s.q % s.p, image = row0 / s.q / s.p;
  const int row = p * s.stride - s.padding, column = q * s.stride - s.padding;
  for (int point = 0; point < s.r * s.r; ++point)
    for (int channel = 0; channel < s.c; channel += kTileK, at.advance()) {
      uint64_t* full = &shared.full[at.stage];
      wait(&shared.empty[at.stage], at.parity ^ 1);
      expect_bytes(full, sizeof shared.pixels[0] + sizeof shared.filters[0]);
      tma_load_im2col(shared.pixels[at.stage], map_x, channel, column, row, image, point % s.r,
                      point / s.r, full);
      tma_load_filters(shared.filters[at.stage], map_filter, channel, point, col0, full);
    }
}

// Each warp reports the end of its own MMAs.
__device__ void release(Shared& shared, int stage) {
  if (threadIdx.x % 32 == 0) arrive(&shared.empty[stage]);
}

__device__ void consume(Shared& shared, const CUtensorMap* map_y, const Shape& s, int row0,
                        int col0) {
  PipelineState at;
  const int group = threadIdx.x / 128, steps = s.r * s.r * ((s.c + kTileK - 1) / kTileK);
  float d[64];      // accumulators: this thread's part of 64 x 128
  int before = -1;  // the stage whose MMAs may still execute
  for (int step = 0; step < steps; ++step, at.advance()) {
    const __nv_bfloat16 *a = shared.pixels[at.stage] + group * 64 * kTileK,
                        *b = shared.filters[at.stage];
    wait(&shared.full[at.stage], at.parity);
    wgmma_fence();
    for (int i = 0; i < kTileK / 16; ++i)
      wgmma(d, smem_desc(a) + 2 * i, smem_desc(b) + 2 * i, step > 0 || i > 0);
    wgmma_commit();
    wgmma_wait_all_but_last();
    if (before >= 0) release(shared, before);
    before = at.stage;
  }
  wgmma_wait_all(d);
  store_by_copy_engine(d, shared.y[group], map_y, row0 + group * 64, col0);
  if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
}

__global__ void __launch_bounds__(kThreads, 1)
    convolve_by_copy_engine(const __grid_constant__ CUtensorMap map_x,
                            const __grid_constant__ CUtensorMap map_filter,
                            const __grid_constant__ CUtensorMap map_y, const Shape s) {
  extern __shared__ unsigned char memory[];
  Shared& shared = aligned_1024<Shared>(memory);
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&shared.full[i], 1);
      init(&shared.empty[i], 4 * kConsumers);  // warps
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers) produce(shared, &map_x, &map_filter, s, row0, col0);
  } else {
    warpgroup_reg_alloc<160>();
    consume(shared, &map_y, s, row0, col0);
  }
}

}  // namespace

extern "C" void convolution(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                            int n, int h, int w, int c, int k, int r, int stride, int padding,
                            cudaStream_t stream) {
  const Shape s = {n, h, w, c, k, r, stride, padding};
  const dim3 grid((k + kTileN - 1) / kTileN, (s.pixels() + kTileM - 1) / kTileM);
  cudaFuncSetAttribute(convolve_by_copy_engine, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  convolve_by_copy_engine<<<grid, kThreads, kSharedBytes, stream>>>(
      tensor_map_im2col(x, s, kTileM), tensor_map_filters(filter, s, kTileN),
      tensor_map(y, s.pixels(), k, 64), s);
}
