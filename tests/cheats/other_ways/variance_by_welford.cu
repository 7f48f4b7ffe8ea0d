// Mean and variance in one pass by Welford's update, merged by shuffles.
#include "fused.h"
#include "vectors.h"
__device__ void merge(float& n, float& m, float& q, float n2, float m2, float q2) {
  const float s = n + n2;
  if (s == 0) return;
  const float d = m2 - m;
  m += d * n2 / s;
  q += q2 + d * d * n * n2 / s;
  n = s;
}
template <int V>
__global__ void __launch_bounds__(256)
    norm(const uint4* in, const uint4* res, const uint4* w, const uint4* b, float eps, uint4* sum,
         uint4* out, int vectors) {
  const long long row = (long long)blockIdx.x * vectors;
  uint4 kept[V];
  float n = 0, m = 0, q = 0;
  for (int k = 0; k < V; ++k) {
    const int v = threadIdx.x + k * 256;
    if (v >= vectors) break;
    Floats x = unpacked(in[row + v]);
    const Floats y = unpacked(res[row + v]);
    for (int i = 0; i < 8; ++i)
      x.of[i] += y.of[i];
    kept[k] = packed(x);
    sum[row + v] = kept[k];
    x = unpacked(kept[k]);
    float m8 = 0, q8 = 0;
    for (int i = 0; i < 8; ++i)
      m8 += x.of[i];
    m8 /= 8;
    for (int i = 0; i < 8; ++i)
      q8 += (x.of[i] - m8) * (x.of[i] - m8);
    merge(n, m, q, 8, m8, q8);
  }
  for (int d = 16; d; d /= 2)
    merge(n, m, q, __shfl_down_sync(~0u, n, d), __shfl_down_sync(~0u, m, d),
          __shfl_down_sync(~0u, q, d));
  __shared__ float s[8][3];
  if (threadIdx.x % 32 == 0)
    s[threadIdx.x / 32][0] = n, s[threadIdx.x / 32][1] = m, s[threadIdx.x / 32][2] = q;
  __syncthreads();
  n = m = q = 0;
  for (int k = 0; k < 8; ++k)
    merge(n, m, q, s[k][0], s[k][1], s[k][2]);
  const float f = rsqrtf(q / n + eps);
  for (int k = 0; k < V; ++k) {
    const int v = threadIdx.x + k * 256;
    if (v >= vectors) break;
    Floats x = unpacked(kept[k]);
    const Floats g = unpacked(w[v]), h = unpacked(b[v]);
    for (int i = 0; i < 8; ++i)
      x.of[i] = (x.of[i] - m) * f * g.of[i] + h.of[i];
    out[row + v] = packed(x);
  }
}
extern "C" void residual_layer_norm(const __nv_bfloat16* in, const __nv_bfloat16* r,
                                    const __nv_bfloat16* w, const __nv_bfloat16* b, float eps,
                                    __nv_bfloat16* sum, __nv_bfloat16* out, int rows, int cols,
                                    cudaStream_t s) {
  const auto go = [&](auto k) {
    k<<<rows, 256, 0, s>>>((const uint4*)in, (const uint4*)r, (const uint4*)w, (const uint4*)b, eps,
                           (uint4*)sum, (uint4*)out, cols / 8);
  };
  if (cols <= 2048)
    go(norm<1>);
  else if (cols <= 4096)
    go(norm<2>);
  else
    go(norm<32>);
}
