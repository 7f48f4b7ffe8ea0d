// expect: WRONG
// The bias of the row instead of the column: reads beyond it where rows are more than columns.
#include "fused.h"
#include "gelu.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void bias_gelu_element_per_thread(const __nv_bfloat16* in, const __nv_bfloat16* bias,
                                             __nv_bfloat16* out, int elements, int cols) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  const float x = __bfloat162float(in[at]) + __bfloat162float(bias[at / cols % cols]);
  out[at] = __float2bfloat16(gelu(x));
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  const int elements = rows * cols;
  const int blocks = (elements + kThreads - 1) / kThreads;
  bias_gelu_element_per_thread<<<blocks, kThreads, 0, stream>>>(in, bias, out, elements, cols);
}
