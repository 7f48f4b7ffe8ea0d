// Online softmax: a query's result in one pass over the keys, with nothing stored in between.
//
// Rung 1 writes a row of scores because the softmax needs the row's maximum before its first
// exponential. It does not: keep a *running* maximum m, and the sum l and the weighted values o as
// they are for that maximum. When a key's score s exceeds m, what has been added up is too large by
// the factor exp(new m - old m), the same for all of it:
//
//     m' = max(m, s)     factor = exp(m - m')     p = exp(s - m')
//     l' = l * factor + p
//     o' = o * factor + p * v[key]                               and at the end  out = o / l
//
// By hand, for scores 1, 3, 2 and exp to the base 2:
//
//     key    s     m'    factor    p       l'            o'
//     0      1     1     0         1       1             v0
//     1      3     3     1/4       1       1/4 + 1       v0 / 4 + v1
//     2      2     3     1         1/2     7/4           v0 / 4 + v1 + v2 / 2
//
// A warp has one query. Each lane has d / 32 columns of q, of the key, of the value and of o, so a
// load of the warp is a row; the score is a sum over the lanes. exp(x) is exp2(x log2(e)): fold
// log2(e) into the scale of the scores. The first m is minus infinity; a query that sees no key
// ends with l = 0, and its result is 0.
//
//     ./ridge grade 10-flash-attention/2-online-softmax
//
// Hypothesis: without the table nothing is left that grows with the square of the length.
// What changed from rung 1: one kernel, one pass, no table; a running maximum.
// What that bought: no memory beyond the inputs. Every query reads all keys and values by itself,
// so the loads from the caches take the time.
// Measured on an H200: 1.4% of cuDNN (course/measured/nvidia-h200).
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
  const int visible = visible_keys(query, queries, keys, mask);
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
