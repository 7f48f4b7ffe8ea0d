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
      // TODO (about 5 lines): the row and the column of x under the first point of this output
      // pixel's filter, and the offset of that place in x. Rows beyond the last pixel are kNowhere.
      offset[i] = 0;
      row[i] = kNowhere;
      column[i] = pixel;
    }
  }
  static constexpr int kNowhere = -1024;  // so that every point of the filter is outside
};

// The term at which this thread's piece begins, as a point (i, j) and a channel.
struct Term {
  int i = 0, j = 0, channel = own_piece() * 8;

  __device__ void normalize(const Shape& s) {
    // TODO (about 3 lines): a channel of c and more belongs to a later point of the filter. c may
    // be less than kTileK.
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
#pragma unroll
        for (int i = 0; i < kRowsPerThread; ++i) {
          // TODO (about 4 lines): copy 8 channels of the pixel under point (term.i, term.j) of this
          // row's filter, from term.channel on. Where that place is outside the image, and where
          // the filter has no such point (term.i is r), copy zeros. Until you do, zeros are copied.
          start_copy(tile + place(own_row(i), own_piece()), x, false);
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
