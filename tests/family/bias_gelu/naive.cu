// Two kernels: the first one stores in + bias, in out, the second one applies GELU to it.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;

__global__ void add_bias(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out, int elements,
                         int cols) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < elements) out[at] = __float2bfloat16(__bfloat162float(in[at]) + __bfloat162float(bias[at % cols]));
}

__global__ void apply_gelu(__nv_bfloat16* out, int elements) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  const float x = __bfloat162float(out[at]);
  out[at] = __float2bfloat16(0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))));
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out, int rows, int cols,
                          cudaStream_t stream) {
  const int elements = rows * cols, blocks = (elements + kThreads - 1) / kThreads;
  add_bias<<<blocks, kThreads, 0, stream>>>(in, bias, out, elements, cols);
  apply_gelu<<<blocks, kThreads, 0, stream>>>(out, elements);
}
