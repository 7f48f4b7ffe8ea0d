// The naive kernel of attention: a thread per query, three passes over the keys, no memory between.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

__global__ void attend_naive(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                             __nv_bfloat16* out, int queries, int keys, int d, int mask) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= queries) return;
  const long long head = blockIdx.y;
  q += (head * queries + query) * d, out += (head * queries + query) * d;
  k += head * keys * d, v += head * keys * d;
  const int visible = mask == 1 ? keys : max(0, min(keys, query + 1 + keys - queries));
  const float scale = rsqrtf(static_cast<float>(d));
  const auto score = [&](int key) {
    float sum = 0;
    for (int c = 0; c < d; ++c)
      sum += __bfloat162float(q[c]) * __bfloat162float(k[static_cast<long long>(key) * d + c]);
    return sum * scale;
  };
  float largest = -INFINITY, sum = 0;
  for (int key = 0; key < visible; ++key)
    largest = fmaxf(largest, score(key));
  float o[128] = {};
  for (int key = 0; key < visible; ++key) {
    const float p = expf(score(key) - largest);
    sum += p;
    for (int c = 0; c < d; ++c)
      o[c] += p * __bfloat162float(v[static_cast<long long>(key) * d + c]);
  }
  for (int c = 0; c < d; ++c)
    out[c] = __float2bfloat16(sum > 0 ? o[c] / sum : 0.0f);
}

}  // namespace

extern "C" void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                          __nv_bfloat16* out, int heads, int queries, int keys, int d, int mask,
                          cudaStream_t stream) {
  attend_naive<<<dim3((queries + 63) / 64, heads), 64, 0, stream>>>(q, k, v, out, queries, keys, d,
                                                                    mask);
}
