// The naive kernel of a ragged batch: a thread per query and head, which looks for its sequence, and
// three passes over its keys.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kD = 128;

__global__ void attend_ragged_naive(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                    const __nv_bfloat16* v, const int* cu_seqlens_q,
                                    const int* cu_seqlens_k, __nv_bfloat16* out, int sequences,
                                    int queries, int kv_heads, int group, int mask) {
  const int heads = kv_heads * group, row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= queries * heads) return;
  const int query = row / heads;
  int i = 0;
  while (i + 1 < sequences && cu_seqlens_q[i + 1] <= query)
    ++i;
  const int keys = cu_seqlens_k[i + 1] - cu_seqlens_k[i], end = cu_seqlens_q[i + 1];
  const int visible = mask == 1 ? keys : max(0, min(keys, query + 1 + keys - end));
  const long long stride = static_cast<long long>(kv_heads) * kD;
  const long long first = cu_seqlens_k[i] * stride + row % heads / group * kD;
  q += static_cast<long long>(row) * kD, out += static_cast<long long>(row) * kD;
  k += first, v += first;
  const auto score = [&](int key) {
    float sum = 0;
    for (int c = 0; c < kD; ++c)
      sum += __bfloat162float(q[c]) * __bfloat162float(k[key * stride + c]);
    return sum * rsqrtf(kD);
  };
  float largest = -INFINITY, sum = 0, o[kD] = {};
  for (int key = 0; key < visible; ++key)
    largest = fmaxf(largest, score(key));
  for (int key = 0; key < visible; ++key) {
    const float p = expf(score(key) - largest);
    sum += p;
    for (int c = 0; c < kD; ++c)
      o[c] += p * __bfloat162float(v[key * stride + c]);
  }
  for (int c = 0; c < kD; ++c)
    out[c] = __float2bfloat16(sum > 0 ? o[c] / sum : 0.0f);
}

}  // namespace

extern "C" void varlen_attention(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                 const __nv_bfloat16* v, const int* cu_seqlens_q,
                                 const int* cu_seqlens_k, __nv_bfloat16* out, int sequences,
                                 int queries, int, int kv_heads, int group, int mask,
                                 cudaStream_t stream) {
  const int rows = queries * kv_heads * group;
  attend_ragged_naive<<<(rows + 63) / 64, 64, 0, stream>>>(
      q, k, v, cu_seqlens_q, cu_seqlens_k, out, sequences, queries, kv_heads, group, mask);
}
