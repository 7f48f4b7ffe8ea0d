// A warp per query for dq, a warp per key for dk and dv, pair after pair.
#include "attention.h"

namespace {

constexpr int kColumns = 4;  // of a lane
constexpr float kScale = 0.08838834764f;

__device__ void load(float (&to)[kColumns], const __nv_bfloat16* matrix, int64_t row) {
  for (int c = 0; c < kColumns; ++c)
    to[c] = __bfloat162float(matrix[row * 128 + threadIdx.x % 32 * kColumns + c]);
}

__device__ float product(const float (&a)[kColumns], const float (&b)[kColumns]) {
  float sum = 0;
  for (int c = 0; c < kColumns; ++c)
    sum += a[c] * b[c];
  for (int other = 16; other > 0; other /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, other);
  return sum;
}

__device__ void store(__nv_bfloat16* matrix, int64_t row, const float (&from)[kColumns],
                      float factor) {
  for (int c = 0; c < kColumns; ++c)
    matrix[row * 128 + threadIdx.x % 32 * kColumns + c] = __float2bfloat16_rn(from[c] * factor);
}

__global__ void gradients(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                          const __nv_bfloat16* out, const __nv_bfloat16* dout, const float* lse,
                          __nv_bfloat16* dq, __nv_bfloat16* dk, __nv_bfloat16* dv, int queries,
                          int keys, int mask) {
  const int number = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (number >= queries + keys) return;
  const int64_t head = blockIdx.y;
  const bool of_query = number < queries;
  const int own = of_query ? number : number - queries;
  float first[kColumns] = {}, second[kColumns] = {};
  float q_row[kColumns], k_row[kColumns], v_row[kColumns], out_row[kColumns], dout_row[kColumns];
  for (int other = 0; other < (of_query ? keys : queries); ++other) {
    const int query = of_query ? own : other, key = of_query ? other : own;
    if (key >= visible_keys(query, queries, keys, mask)) continue;
    const int64_t query_row = head * queries + query, key_row = head * keys + key;
    load(q_row, q, query_row);
    load(k_row, k, key_row);
    load(v_row, v, key_row);
    load(out_row, out, query_row);
    load(dout_row, dout, query_row);
    const float p = __expf(product(q_row, k_row) * kScale - lse[query_row]);
    const float ds = p * (product(dout_row, v_row) - product(dout_row, out_row));
    for (int c = 0; c < kColumns; ++c) {
      first[c] += ds * (of_query ? k_row[c] : q_row[c]);
      second[c] += p * dout_row[c];
    }
  }
  if (of_query) return store(dq, head * queries + own, first, kScale);
  store(dk, head * keys + own, first, kScale);
  store(dv, head * keys + own, second, 1);
}

}  // namespace

extern "C" void attention_backward(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                   const __nv_bfloat16* v, const __nv_bfloat16* out,
                                   const __nv_bfloat16* dout, const float* lse, __nv_bfloat16* dq,
                                   __nv_bfloat16* dk, __nv_bfloat16* dv, int heads, int queries,
                                   int keys, int mask, cudaStream_t stream) {
  gradients<<<dim3((queries + keys + 3) / 4, heads), 128, 0, stream>>>(
      q, k, v, out, dout, lse, dq, dk, dv, queries, keys, mask);
}
