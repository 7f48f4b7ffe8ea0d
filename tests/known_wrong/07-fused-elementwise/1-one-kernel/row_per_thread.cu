// expect: SLOW
// A thread per row: the lanes of a warp are in 32 rows, and each request touches 32 sectors.
#include "fused.h"
#include "gelu.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void bias_gelu_element_per_thread(const __nv_bfloat16* in, const __nv_bfloat16* bias,
                                             __nv_bfloat16* out, int elements, int cols) {
  const int first = (blockIdx.x * kThreads + threadIdx.x) * cols;
  if (first >= elements) return;
  for (int at = first; at < first + cols; ++at)
    out[at] = __float2bfloat16(gelu(__bfloat162float(in[at]) + __bfloat162float(bias[at - first])));
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  const int elements = rows * cols;
  const int blocks = (rows + kThreads - 1) / kThreads;
  bias_gelu_element_per_thread<<<blocks, kThreads, 0, stream>>>(in, bias, out, elements, cols);
}
