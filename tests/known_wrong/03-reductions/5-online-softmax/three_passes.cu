// expect: SLOW
// says: load each element once
// Right, as the formula reads: the largest, the sum, the quotients, and the row loaded for each.
#include <cfloat>

#include "reductions.h"
#include "row_float4.h"

namespace {

constexpr int kThreads = 256;  // per block, and a row

template <typename Combine>
__device__ float reduce_block(float value, float none,
                              Combine combine) {  // the result is in every thread
  __shared__ float of_warps[kThreads / 32];       // [warp]
  for (int d = 16; d > 0; d /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < kThreads / 32 ? of_warps[threadIdx.x % 32] : none;
  for (int d = 16; d > 0; d /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, d));
  return value;
}

__global__ void __launch_bounds__(kThreads)
    softmax_three_passes(const float* in, float* out, int cols) {
  const float* from = in + static_cast<size_t>(blockIdx.x) * cols;  // [cols]
  float* to = out + static_cast<size_t>(blockIdx.x) * cols;         // [cols]
  const bool aligned = cols % 4 == 0;
  float max = -FLT_MAX, sum = 0.0f;
  for (int q = 0; q * 4 * kThreads < cols; ++q) {
    const float4 v = load_float4<kThreads>(from, cols, aligned, q, -INFINITY);
    max = fmaxf(max, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  max = reduce_block(max, -FLT_MAX, [](float a, float b) { return fmaxf(a, b); });
  for (int q = 0; q * 4 * kThreads < cols; ++q) {
    const float4 v = exp_float4(load_float4<kThreads>(from, cols, aligned, q, -INFINITY), max);
    sum += (v.x + v.y) + (v.z + v.w);
  }
  sum = reduce_block(sum, 0.0f, [](float a, float b) { return a + b; });
  for (int q = 0; q * 4 * kThreads < cols; ++q) {
    const float4 v = exp_float4(load_float4<kThreads>(from, cols, aligned, q, -INFINITY), max);
    store_float4<kThreads>(to, cols, aligned, q,
                           make_float4(v.x / sum, v.y / sum, v.z / sum, v.w / sum));
  }
}

}  // namespace

extern "C" void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  softmax_three_passes<<<rows, kThreads, 0, stream>>>(in, out, cols);
}
