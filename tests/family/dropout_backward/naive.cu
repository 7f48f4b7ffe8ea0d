// A mask in memory, made by one kernel and loaded by the next; the sums of columns by a third one.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256, kMostElements = 1 << 22;

__device__ unsigned char mask[kMostElements];

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

__global__ void make_mask(const int64_t* seed, unsigned threshold, int elements, int cols) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < elements) mask[at] = word_of(at / cols, at % cols, static_cast<uint64_t>(*seed)) >= threshold;
}

__global__ void apply_mask(const __nv_bfloat16* out_grad, float scale, __nv_bfloat16* in_grad, int elements) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < elements) in_grad[at] = __float2bfloat16(mask[at] ? scale * __bfloat162float(out_grad[at]) : 0.0f);
}

__global__ void sum_columns(const __nv_bfloat16* out_grad, float scale, float* bias_grad, int rows, int cols) {
  const int col = blockIdx.x * kThreads + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row)
    if (mask[row * cols + col]) sum += scale * __bfloat162float(out_grad[row * cols + col]);
  bias_grad[col] = sum;
}

}  // namespace

extern "C" void dropout_backward(const __nv_bfloat16* out_grad, const int64_t* seed, float p, __nv_bfloat16* in_grad,
                                 float* bias_grad, int rows, int cols, cudaStream_t stream) {
  const int elements = rows * cols, blocks = (elements + kThreads - 1) / kThreads;
  const float scale = 1 / (1 - p);
  make_mask<<<blocks, kThreads, 0, stream>>>(seed, static_cast<unsigned>(p * 4294967296.0), elements, cols);
  apply_mask<<<blocks, kThreads, 0, stream>>>(out_grad, scale, in_grad, elements);
  sum_columns<<<(cols + kThreads - 1) / kThreads, kThreads, 0, stream>>>(out_grad, scale, bias_grad, rows, cols);
}
