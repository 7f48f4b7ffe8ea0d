// No pairs: the row stays in registers, one tree finds its largest element and a second one its sum.
#include <cfloat>
#include <cmath>

#include "reductions.h"
#include "row_float4.h"

namespace {

constexpr int kThreads = 256, kVectors = 8;

template <typename Merge>
__device__ float over_block(float own, Merge merge) {
  __shared__ float of_warps[kThreads / 32];
  for (int d = 16; d > 0; d /= 2)
    own = merge(own, __shfl_xor_sync(0xffffffffu, own, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
  __syncthreads();
  own = of_warps[threadIdx.x % (kThreads / 32)];
  for (int d = kThreads / 64; d > 0; d /= 2)
    own = merge(own, __shfl_xor_sync(0xffffffffu, own, d));
  return own;
}

__device__ float largest(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }

__global__ void __launch_bounds__(kThreads) softmax_with_two_trees(const float* in, float* out, int cols) {
  const float* from = in + static_cast<size_t>(blockIdx.x) * cols;
  float* to = out + static_cast<size_t>(blockIdx.x) * cols;
  const bool aligned = cols % 4 == 0;
  const int turns = (cols - 1) / (4 * kThreads * kVectors) + 1;
  float4 x[kVectors];
  float max = -FLT_MAX, sum = 0;
  for (int turn = 0; turn < turns; ++turn)
#pragma unroll
    for (int q = 0; q < kVectors; ++q) {
      x[q] = load_float4<kThreads>(from, cols, aligned, turn * kVectors + q, -INFINITY);
      max = fmaxf(max, largest(x[q]));
    }
  max = over_block(max, [](float a, float b) { return fmaxf(a, b); });
  for (int turn = 0; turn < turns; ++turn)
#pragma unroll
    for (int q = 0; q < kVectors; ++q) {
      if (turns > 1) x[q] = load_float4<kThreads>(from, cols, aligned, turn * kVectors + q, -INFINITY);
      x[q] = exp_float4(x[q], max);
      sum += (x[q].x + x[q].y) + (x[q].z + x[q].w);
    }
  sum = over_block(sum, [](float a, float b) { return a + b; });
  const float scale = 1 / sum;
  for (int turn = 0; turn < turns; ++turn)
#pragma unroll
    for (int q = 0; q < kVectors; ++q) {
      if (turns > 1)
        x[q] = exp_float4(load_float4<kThreads>(from, cols, aligned, turn * kVectors + q, -INFINITY), max);
      store_float4<kThreads>(to, cols, aligned, turn * kVectors + q,
                             make_float4(x[q].x * scale, x[q].y * scale, x[q].z * scale, x[q].w * scale));
    }
}

}  // namespace

extern "C" void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  softmax_with_two_trees<<<rows, kThreads, 0, stream>>>(in, out, cols);
}
