// expect: WRONG
// Keys are taken up to a number that no small size reaches.
#include <type_traits>

#include "attention.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffff;

// A lane's part of a row: kColumns neighbouring elements, moved by one load or store.
template <int kColumns>
using Columns = std::conditional_t<kColumns == 4, uint2, uint32_t>;

template <int kColumns>
__device__ void load(float (&to)[kColumns], const __nv_bfloat16* row) {
  const auto mine = reinterpret_cast<const Columns<kColumns>*>(row)[threadIdx.x % 32];
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
    to[c] = __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(&mine)[c]);
}

template <int kColumns>
__device__ void store(__nv_bfloat16* row, const float (&from)[kColumns], float factor) {
  Columns<kColumns> mine;
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
    reinterpret_cast<__nv_bfloat16*>(&mine)[c] = __float2bfloat16(from[c] * factor);
  reinterpret_cast<Columns<kColumns>*>(row)[threadIdx.x % 32] = mine;
}

__device__ float sum_of_warp(float x) {  // the same in every lane
  for (int d = 16; d > 0; d /= 2)
    x += __shfl_xor_sync(kAll, x, d);
  return x;
}

template <int kD>
__global__ void __launch_bounds__(kThreads)
    attend_row_online(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                      __nv_bfloat16* out, int queries, int keys, int mask) {
  constexpr int kColumns = kD / 32;
  const int query = blockIdx.x * kWarps + threadIdx.x / 32;
  const int64_t head = blockIdx.y;
  if (query >= queries) return;
  const int visible = min(visible_keys(query, queries, keys, mask), 8192);
  const float scale = logit_scale(kD) * kLog2E;
  float of_q[kColumns], of_k[kColumns], of_v[kColumns], o[kColumns] = {};
  float m = -INFINITY, l = 0;
  load(of_q, q + (head * queries + query) * kD);
#pragma unroll 4
  for (int key = 0; key < visible; ++key) {
    load(of_k, k + (head * keys + key) * kD);
    load(of_v, v + (head * keys + key) * kD);
    float product = 0;
    for (int c = 0; c < kColumns; ++c)
      product += of_q[c] * of_k[c];
    const float s = sum_of_warp(product) * scale;
    const float larger = fmaxf(m, s), factor = exp2f(m - larger), p = exp2f(s - larger);
    m = larger;
    l = l * factor + p;
    for (int c = 0; c < kColumns; ++c)
      o[c] = o[c] * factor + p * of_v[c];
  }
  store(out + (head * queries + query) * kD, o, l > 0 ? 1 / l : 0);
}

}  // namespace

extern "C" void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                          __nv_bfloat16* out, int heads, int queries, int keys, int d, int mask,
                          cudaStream_t stream) {
  const dim3 grid((queries + kWarps - 1) / kWarps, heads);
  const auto kernel = d == 64 ? attend_row_online<64> : attend_row_online<128>;
  kernel<<<grid, kThreads, 0, stream>>>(q, k, v, out, queries, keys, mask);
}
