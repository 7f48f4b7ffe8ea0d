// Implicit GEMM: the matrix of patches is never written.
//
// Rung 4 copies each pixel r * r times into memory and reads it back, to multiply it a moment
// later. But a block of the product needs 128 rows and 64 columns of that matrix at a time, and it
// copies them to shared memory anyway. Let it copy them from x itself: the matrix exists as tiles
// alone, and the address computation is the kernel.
//
//     row 37 of the tile       output pixel row0 + 37: image n, output row p, output column q
//                              its filter begins at row p * stride - padding, column likewise
//     column t of the step     term 64 * step + t: point (i, j) of the filter, channel
//     element                  x[n][first_row + i][first_column + j][channel], or zero
//
// A piece of 8 channels lies within one point, because c is a multiple of 8, so a copy is 16 bytes
// as before. Divisions are slow (some 20 instructions each), so none is made in the loop:
//
//   - the eight rows of a thread never change: their image position is found once
//   - the piece of a thread advances by 64 terms per step: channel += 64, and when it passes c, the
//     next point begins
//   - the address is a sum of a part of the row and a part of the step. The second is the same for
//     all rows: (i * w + j) * c + channel
//
//     ./ridge grade 09-convolution/5-implicit
//
// Hypothesis: as fast as the product alone in rung 4; its copy costs nothing anymore.
// What changed from rung 4: no matrix, no second kernel; the copies find their addresses in x.
// What that bought: the matrix, a third of rung 4's time, is neither stored nor loaded.
// Measured on an H200: 47.3% of cuDNN (course/measured/nvidia-h200).
#include "convolution.h"
#include "tiles.h"

namespace {

// The rows of the tile that a thread copies, as places of the filter on x.
struct Patches {
  int offset[kRowsPerThread];  // of the filter's first point, in elements of x; it may be negative
  int row[kRowsPerThread], column[kRowsPerThread];  // of the same point; outside is allowed

  __device__ Patches(const Shape& s, int row0) {
#pragma unroll
    for (int i = 0; i < kRowsPerThread; ++i) {
      const int pixel = row0 + own_row(i);
      const int q = pixel % s.q, p = pixel / s.q % s.p, n = pixel / s.q / s.p;
      const int first_row = p * s.stride - s.padding, first_column = q * s.stride - s.padding;
      offset[i] = ((n * s.h + first_row) * s.w + first_column) * s.c;
      row[i] = pixel < s.pixels() ? first_row : kNowhere;
      column[i] = first_column;
    }
  }
  static constexpr int kNowhere = -1024;  // so that every point of the filter is outside
};

// The term at which this thread's piece begins, as a point (i, j) and a channel.
struct Term {
  int i = 0, j = 0, channel = own_piece() * 8;

  __device__ void normalize(const Shape& s) {
    while (channel >= s.c) {
      channel -= s.c;
      if (++j == s.r) j = 0, ++i;
    }
  }
};

__global__ void __launch_bounds__(kThreads, 2)
    convolve_implicitly(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                        const Shape s) {
  const Patches patches(s, blockIdx.y * kTile);
  Term term;
  term.normalize(s);
  multiply_tile(
      [&](__nv_bfloat16* tile, int) {  // called once per step, in order
        const int moved = (term.i * s.w + term.j) * s.c + term.channel;
#pragma unroll
        for (int i = 0; i < kRowsPerThread; ++i) {
          const int row = patches.row[i] + term.i, column = patches.column[i] + term.j;
          const bool inside = term.i < s.r && row >= 0 && row < s.h && column >= 0 && column < s.w;
          start_copy(tile + place(own_row(i), own_piece()),
                     inside ? x + patches.offset[i] + moved : x, inside);
        }
        term.channel += kTileK;
        term.normalize(s);
      },
      filter, y, s.pixels(), s.k, s.terms());
}

}  // namespace

extern "C" void convolution(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                            int n, int h, int w, int c, int k, int r, int stride, int padding,
                            cudaStream_t stream) {
  const Shape s = {n, h, w, c, k, r, stride, padding};
  const dim3 grid((k + kTile - 1) / kTile, (s.pixels() + kTile - 1) / kTile);
  cudaFuncSetAttribute(convolve_implicitly, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  convolve_implicitly<<<grid, kThreads, kSharedBytes, stream>>>(x, filter, y, s);
}
