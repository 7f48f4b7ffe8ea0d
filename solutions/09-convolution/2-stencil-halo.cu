// A stencil of 3 x 3 points over an image: tiles with a halo.
//
// An output needs nine elements of x, and its right neighbour needs six of them again. A thread
// that loads its nine from global memory loads every element of x nine times over all threads: L1
// has most of them, but each load is an instruction, an address and a request. Let a block load a
// tile of x into shared memory once, with what its outputs need beyond it, the *halo*:
//
//                 x0 - 4      x0                     x0 + 128
//                  |  .  .  . |                       |
//     y0 - 1       |v v v[h]  h h h h ... h h h h h h [h] v v v|     h: halo, 1 wide
//     y0           |v v v[h]  o o o o ... o o o o o o [h] v v v|     o: outputs, 128 x 32
//     ...                                                            v: loaded with a copy of
//     y0 + 32      |v v v[h]  h h h h ... h h h h h h [h] v v v|        16 bytes, not needed
//
// A row of the tile is 34 copies of 16 bytes. A copy that lies outside the image writes zeros: w is
// a multiple of 4, so it lies inside or outside as a whole. cp.async copies to shared memory
// without a register in between, so a thread has all of its copies in flight at once.
//
// A thread then computes a column of 16 outputs: it walks down 18 rows of the tile, three elements
// of each, and each row is part of up to three outputs. The nine weights are the same for all
// threads, so they are in *constant memory*: an FMA takes an operand from there without a load.
//
//     ./ridge grade 09-convolution/2-stencil-halo
//
// Hypothesis: nine loads per output are limited by the rate of L1; with a tile in shared memory and
// three loads per row and thread, memory is the limit.
// What changed from nine loads per output: 1.13 elements loaded from global memory per output, and
// 3.4 from shared memory.
// What that bought: the tile's copies are in flight together, and the arithmetic passes under them.
// Measured on an H200: 87.2% of the device copy (course/measured/nvidia-h200).
#include "convolution.h"

namespace {

constexpr int kWide = 128, kHigh = 32;               // outputs of a block
constexpr int kPerThread = 16;                       // outputs, one below the other
constexpr int kThreads = kWide * kHigh / kPerThread;  // 256
constexpr int kRows = kHigh + 2, kVectors = kWide / 4 + 2;

__constant__ float weights_of_stencil[3][3];

// Starts the copies of the tile: rows y0 - 1 .. y0 + 32, columns x0 - 4 .. x0 + 131 of x.
__device__ void start_tile(float (*tile)[4 * kVectors], const float* x, int y0, int x0, int h,
                           int w) {
  for (int i = threadIdx.x; i < kRows * kVectors; i += kThreads) {
    const int row = y0 - 1 + i / kVectors, column = x0 - 4 + i % kVectors * 4;
    const bool inside = row >= 0 && row < h && column >= 0 && column < w;
    const float* from = inside ? x + static_cast<int64_t>(row) * w + column : x;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<uint32_t>(
                     __cvta_generic_to_shared(&tile[i / kVectors][i % kVectors * 4]))),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
  }
}

__global__ void __launch_bounds__(kThreads)
    stencil_tiles(const float* x, float* y, int h, int w) {
  __shared__ __align__(16) float tile[kRows][4 * kVectors];  // [34][136]
  const int x0 = blockIdx.x * kWide, y0 = blockIdx.y * kHigh;
  start_tile(tile, x, y0, x0, h, w);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  const int column = threadIdx.x % kWide, first = threadIdx.x / kWide * kPerThread;
  float sums[kPerThread] = {};
#pragma unroll
  for (int i = 0; i < kPerThread + 2; ++i) {  // row i of the tile is part of outputs i - 2 .. i
    const float* row = &tile[first + i][column + 3];
    const float left = row[0], middle = row[1], right = row[2];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      const int output = i - d;
      if (output < 0 || output >= kPerThread) continue;
      const float* weights = weights_of_stencil[d];
      sums[output] += weights[0] * left + weights[1] * middle + weights[2] * right;
    }
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
    if (y0 + first + i < h && x0 + column < w)
      y[static_cast<int64_t>(y0 + first + i) * w + x0 + column] = sums[i];
}

}  // namespace

extern "C" void stencil(const float* x, const float* weights, float* y, int h, int w,
                        cudaStream_t stream) {
  cudaMemcpyToSymbolAsync(weights_of_stencil, weights, sizeof weights_of_stencil, 0,
                          cudaMemcpyDeviceToDevice, stream);
  const dim3 grid((w + kWide - 1) / kWide, (h + kHigh - 1) / kHigh);
  stencil_tiles<<<grid, kThreads, 0, stream>>>(x, y, h, w);
}
