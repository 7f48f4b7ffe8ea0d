// im2col: write the matrix of patches, then multiply.
//
// A sum over points and channels is a row times a column. Write what an output pixel needs as a row
// of `terms` = r * r * c elements, in the order in which a filter lies in memory, and the
// convolution is a matrix product:
//
//     patches [pixels][terms]          pixels = n * p * q          y = patches * filter^T
//     filter  [k][terms]               as it is: KRSC
//     y       [pixels][k]              as it is: NPQK
//
//     term  0 .. c - 1     c .. 2c - 1     ...     3c .. 4c - 1   ...
//     row   pixel (0,0)    pixel (0,1)     ...     pixel (1,0)    ...    under the filter's points
//
// This is im2col ("image to columns"). The product is given (tiles.h): tiles of 128 x 128 on tensor
// cores. What remains is a kernel that copies, with zeros where the filter leaves the image. A
// thread writes one vector of 8 channels. Neighbouring threads write neighbouring vectors of a row,
// and they read neighbouring vectors of a pixel.
//
// The matrix has r * r / (stride * stride) times the elements of x: nine times, for a layer of
// 3 x 3. It is written once and read once per 128 filters.
//
//     ./ridge grade 09-convolution/4-im2col
//
// Hypothesis: the tensor cores make this many times faster than rung 3, and the copy takes a large
// part of the time.
// What changed from rung 3: a matrix in memory, and a product of lab 06.
// What that bought: tensor cores. Two thirds of the time are the product.
// Measured on an H200: 30.9% of cuDNN (course/measured/nvidia-h200).
#include "convolution.h"
#include "tiles.h"

namespace {

constexpr int kCopyThreads = 256;  // per block

// patches [pixels][terms / 8] from x [n][h][w][c / 8].
__global__ void write_patches(const uint4* x, uint4* patches, const Shape s) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kCopyThreads + threadIdx.x;
  const int per_row = s.terms() / 8, vectors = s.c / 8;
  if (at >= static_cast<int64_t>(s.pixels()) * per_row) return;
  const int pixel = at / per_row, point = at % per_row / vectors, v = at % per_row % vectors;
  const int q = pixel % s.q, p = pixel / s.q % s.p, n = pixel / s.q / s.p;
  const int row = p * s.stride + point / s.r - s.padding;
  const int column = q * s.stride + point % s.r - s.padding;
  const bool inside = row >= 0 && row < s.h && column >= 0 && column < s.w;
  patches[at] = inside ? x[((n * s.h + row) * s.w + column) * vectors + v] : uint4{};
}

__global__ void __launch_bounds__(kThreads, 2)
    multiply_patches(const __nv_bfloat16* patches,  // [pixels][terms]
                     const __nv_bfloat16* filter,   // [k][terms]
                     __nv_bfloat16* y,              // [pixels][k]
                     int pixels, int k, int terms) {
  const int row0 = blockIdx.y * kTile;
  multiply_tile([=](__nv_bfloat16* tile,
                    int step) { start_rows(tile, patches, pixels, terms, row0, step * kTileK); },
                filter, y, pixels, k, terms);
}

}  // namespace

extern "C" void convolution(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                            int n, int h, int w, int c, int k, int r, int stride, int padding,
                            cudaStream_t stream) {
  const Shape s = {n, h, w, c, k, r, stride, padding};
  const int64_t vectors = static_cast<int64_t>(s.pixels()) * s.terms() / 8;
  uint4* patches = nullptr;
  cudaMallocAsync(&patches, vectors * sizeof(uint4), stream);
  write_patches<<<(vectors + kCopyThreads - 1) / kCopyThreads, kCopyThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(x), patches, s);
  const dim3 grid((k + kTile - 1) / kTile, (s.pixels() + kTile - 1) / kTile);
  cudaFuncSetAttribute(multiply_patches, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  multiply_patches<<<grid, kThreads, kSharedBytes, stream>>>(
      reinterpret_cast<const __nv_bfloat16*>(patches), filter, y, s.pixels(), k, s.terms());
  cudaFreeAsync(patches, stream);
}
