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
//
// Hypothesis: correct, and far from the library: each output loads everything that it needs, and a
// filter's weights are loaded once for each pixel of the output.
// What changed from rung 1: two dimensions, channels that are added up, filters.
// What that bought: the reference for everything that follows. 8 operations per load of a thread,
// where the tensor cores want hundreds.
// Measured on an H200: 0.6% of cuDNN (course/measured/nvidia-h200).
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
  const int q = pixel % s.q, p = pixel / s.q % s.p, n = pixel / s.q / s.p;
  float sum = 0;
  for (int i = 0; i < s.r; ++i)
    for (int j = 0; j < s.r; ++j) {
      const int row = p * s.stride + i - s.padding, column = q * s.stride + j - s.padding;
      if (row < 0 || row >= s.h || column < 0 || column >= s.w) continue;
      const uint4* channels = x + ((n * s.h + row) * s.w + column) * vectors;
      const uint4* weights = filter + ((k * s.r + i) * s.r + j) * vectors;
      for (int v = 0; v < vectors; ++v)
        sum = add_products(sum, channels[v], weights[v]);
    }
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
