// The convolution of a layer, directly: one thread per output.
//
// An image now has channels, and there are many filters. In memory (NHWC) the channels of a pixel
// are neighbours, and so are the channels of a filter's point (KRSC). An output is a sum over the
// filter's points (i, j) and over channels:
//
//     y[n][p][q][k] = sum of filter[k][i][j][c] * x[n][p * stride + i - padding]
//                                                  [q * stride + j - padding][c]
//
// The rule for the borders is that of rung 1, in two dimensions: a point whose row or column lies
// outside the image adds nothing. Note that a column of -1 is not outside the array: it is the last
// pixel of the row before.
//
// Neighbouring threads get neighbouring k: a warp stores 64 contiguous bytes, and all of its lanes
// need the same pixel, one request for all. A load takes 8 channels, 16 bytes.
//
//     ./ridge grade 09-convolution/3-direct
#include "channels.h"
#include "convolution.h"

namespace {

constexpr int kThreads = 256;  // per block

// x: [n][h][w][c / 8], filter: [k][r][r][c / 8]
__global__ void convolve_output_per_thread(const uint4* x, const uint4* filter, __nv_bfloat16* y,
                                           const Shape s, unsigned outputs) {
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;  // flat index into y
  if (at >= outputs) return;
  const int k = at % s.k, pixel = at / s.k, vectors = s.c / 8;
  float sum = 0;
  // TODO (about 11 lines): output `pixel` is in which image n, row p and column q of y? For every
  // point (i, j) of the filter: which row and column of x lie under it, and are they inside the
  // image? If so, add the products of all channels, 8 per load (add_products). Until you do, zeros
  // are written.
  y[at] = __float2bfloat16(sum);
}

}  // namespace

extern "C" void convolution(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y,
                            int n, int h, int w, int c, int k, int r, int stride, int padding,
                            cudaStream_t stream) {
  const Shape s = {n, h, w, c, k, r, stride, padding};
  const unsigned outputs = static_cast<unsigned>(s.pixels()) * k;
  convolve_output_per_thread<<<(outputs + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(x), reinterpret_cast<const uint4*>(filter), y, s, outputs);
}
