// expect: WRONG
// The sum is rounded to bf16 after each point of the filter.
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
        sum = __bfloat162float(__float2bfloat16(add_products(sum, channels[v], weights[v])));
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
