// A kernel per operation: bias, mask and factor, residual. What lies between them is stored, in out.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256;

__device__ unsigned word_of(int row, int col, uint64_t seed) {
  uint4 c = make_uint4(col / 4, row, 0, 0);
  unsigned key0 = static_cast<unsigned>(seed), key1 = static_cast<unsigned>(seed >> 32);
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
    const uint64_t p0 = 0xD2511F53ull * c.x, p1 = 0xCD9E8D57ull * c.z;
    c = make_uint4(static_cast<unsigned>(p1 >> 32) ^ c.y ^ key0, static_cast<unsigned>(p1),
                   static_cast<unsigned>(p0 >> 32) ^ c.w ^ key1, static_cast<unsigned>(p0));
  }
  return col % 4 == 0 ? c.x : col % 4 == 1 ? c.y : col % 4 == 2 ? c.z : c.w;
}

__global__ void add_bias(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out, int elements,
                         int cols) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < elements) out[at] = __float2bfloat16(__bfloat162float(in[at]) + __bfloat162float(bias[at % cols]));
}

__global__ void drop(__nv_bfloat16* out, const int64_t* seed, unsigned threshold, float scale, int elements, int cols) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  const bool kept = word_of(at / cols, at % cols, static_cast<uint64_t>(*seed)) >= threshold;
  out[at] = __float2bfloat16(kept ? scale * __bfloat162float(out[at]) : 0.0f);
}

__global__ void add_residual(const __nv_bfloat16* residual, __nv_bfloat16* out, int elements) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < elements) out[at] = __float2bfloat16(__bfloat162float(out[at]) + __bfloat162float(residual[at]));
}

}  // namespace

extern "C" void bias_dropout_residual(const __nv_bfloat16* in, const __nv_bfloat16* bias, const __nv_bfloat16* residual,
                                      const int64_t* seed, float p, __nv_bfloat16* out, int rows, int cols,
                                      cudaStream_t stream) {
  const int elements = rows * cols, blocks = (elements + kThreads - 1) / kThreads;
  add_bias<<<blocks, kThreads, 0, stream>>>(in, bias, out, elements, cols);
  drop<<<blocks, kThreads, 0, stream>>>(out, seed, static_cast<unsigned>(p * 4294967296.0), 1 / (1 - p), elements,
                                        cols);
  add_residual<<<blocks, kThreads, 0, stream>>>(residual, out, elements);
}
