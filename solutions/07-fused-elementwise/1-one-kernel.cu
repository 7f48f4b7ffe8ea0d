// out = gelu(in + bias), bias and GELU in one kernel.
//
// A framework that executes one operation at a time needs two kernels for this: one adds the bias
// and stores, one loads that and applies GELU. Per element of 2 bytes:
//
//     in -> |+ bias| -> between        2 bytes read, 2 written
//     between -> |gelu| -> out         2 read, 2 written
//
// The arithmetic is next to nothing; the four trips to memory are the time. `between` is needed by
// nobody else, so it can stay in a register: *fusion*. What remains is one read and one write, half
// of the bytes. One thread per element; neighbours take neighbours.
//
//     ./ridge grade 07-fused-elementwise/1-one-kernel
//
// Hypothesis: both kernels are limited by memory, so half of the bytes is half of the time.
// What changed: the sum is never stored.
// What that bought: twice the speed of the unfused kernels, if the one kernel moves its bytes as
// fast as they do; 2 bytes per lane are not enough for that, which is the subject of rung 2.
// Measured on an H200: 30.7% of the device copy (course/measured/nvidia-h200).
#include "fused.h"
#include "gelu.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void bias_gelu_element_per_thread(const __nv_bfloat16* in, const __nv_bfloat16* bias,
                                             __nv_bfloat16* out, int elements, int cols) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  const float x = __bfloat162float(in[at]) + __bfloat162float(bias[at % cols]);
  out[at] = __float2bfloat16(gelu(x));
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  const int elements = rows * cols;
  const int blocks = (elements + kThreads - 1) / kThreads;
  bias_gelu_element_per_thread<<<blocks, kThreads, 0, stream>>>(in, bias, out, elements, cols);
}
