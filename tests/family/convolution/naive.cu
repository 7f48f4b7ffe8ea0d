// The naive kernel of a convolution: a thread per output, neighbours are pixels, one channel per load.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

__global__ void convolve_naive(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y, int n, int h,
                               int w, int c, int k, int r, int stride, int padding, int p, int q) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, pixels = n * p * q;
  if (at >= pixels * k) return;
  const int pixel = at % pixels, out = at / pixels;
  const int column0 = pixel % q * stride - padding, row0 = pixel / q % p * stride - padding, image = pixel / q / p;
  float sum = 0;
  for (int i = 0; i < r * r; ++i) {
    const int row = row0 + i / r, column = column0 + i % r;
    if (row < 0 || row >= h || column < 0 || column >= w) continue;
    for (int channel = 0; channel < c; ++channel)
      sum += __bfloat162float(x[((image * h + row) * w + column) * c + channel]) *
             __bfloat162float(filter[(out * r * r + i) * c + channel]);
  }
  y[pixel * k + out] = __float2bfloat16(sum);
}

}  // namespace

extern "C" void convolution(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y, int n, int h, int w,
                            int c, int k, int r, int stride, int padding, cudaStream_t stream) {
  const int p = (h + 2 * padding - r) / stride + 1, q = (w + 2 * padding - r) / stride + 1;
  convolve_naive<<<(n * p * q * k + 255) / 256, 256, 0, stream>>>(x, filter, y, n, h, w, c, k, r, stride, padding, p,
                                                                  q);
}
