// Softmax with a warp per row and the row in registers, for short rows, a block per row for others.
#include <cfloat>

#include "reductions.h"

namespace {

constexpr int kThreads = 256, kKept = 8;  // float4 per thread: 8192 floats per block

__device__ float2 merge(float2 a, float2 b) {
  const float largest = fmaxf(a.x, b.x);
  return make_float2(largest, a.y * __expf(a.x - largest) + b.y * __expf(b.x - largest));
}

__global__ void __launch_bounds__(kThreads) softmax_kept(const float* in, float* out, int cols) {
  __shared__ float2 of_warps[kThreads / 32];
  const float* row = in + static_cast<size_t>(blockIdx.x) * cols;
  float* to = out + static_cast<size_t>(blockIdx.x) * cols;
  const bool whole = cols % 4 == 0 && cols <= kThreads * kKept * 4;
  float4 kept[kKept];
  float2 own = make_float2(-FLT_MAX, 0);
  if (whole) {
#pragma unroll
    for (int q = 0; q < kKept; ++q) {
      const int at = (q * kThreads + threadIdx.x) * 4;
      kept[q] = at < cols ? *reinterpret_cast<const float4*>(row + at)
                          : make_float4(-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX);
      own.x = fmaxf(fmaxf(fmaxf(own.x, kept[q].x), fmaxf(kept[q].y, kept[q].z)), kept[q].w);
    }
#pragma unroll
    for (int q = 0; q < kKept; ++q)
      if ((q * kThreads + threadIdx.x) * 4 < cols)
        own.y += __expf(kept[q].x - own.x) + __expf(kept[q].y - own.x) + __expf(kept[q].z - own.x) +
                 __expf(kept[q].w - own.x);
  } else {
    for (int i = threadIdx.x; i < cols; i += kThreads)
      own = merge(own, make_float2(row[i], 1));
  }
  for (int d = 16; d > 0; d /= 2)
    own = merge(own, make_float2(__shfl_xor_sync(~0u, own.x, d), __shfl_xor_sync(~0u, own.y, d)));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
  __syncthreads();
  float2 all = of_warps[0];
  for (int w = 1; w < kThreads / 32; ++w)
    all = merge(all, of_warps[w]);
  const float scale = 1 / all.y;
  if (!whole) {
    for (int i = threadIdx.x; i < cols; i += kThreads)
      to[i] = __expf(row[i] - all.x) * scale;
    return;
  }
#pragma unroll
  for (int q = 0; q < kKept; ++q) {
    const int at = (q * kThreads + threadIdx.x) * 4;
    if (at >= cols) continue;
    *reinterpret_cast<float4*>(to + at) =
        make_float4(__expf(kept[q].x - all.x) * scale, __expf(kept[q].y - all.x) * scale,
                    __expf(kept[q].z - all.x) * scale, __expf(kept[q].w - all.x) * scale);
  }
}

}  // namespace

extern "C" void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  softmax_kept<<<rows, kThreads, 0, stream>>>(in, out, cols);
}
