// Lab 10, flash attention: the function that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. Sizes
// are at least 1, d is 64 or 128, heads at most 65,535. Queries and keys may differ in number and
// need not be multiples of a tile. Start your kernels on `stream` and return: do not wait for them.
// Inputs (const) must come back unchanged. The contents of `out` are undefined when you are called.
// Calls come one after the other.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

// Which keys a query sees. kCausal: query i sees key j if j <= i + keys - queries, so that the last
// query sees all keys. With more queries than keys the first ones see none; their result is 0.
enum Mask : int { kFull = 1, kCausal = 2 };

extern "C" {

// out = softmax(q k^T / sqrt(d)) v, for each head by itself. q, out: [heads][queries][d]; k, v:
// [heads][keys][d], all row-major. The softmax is over the keys that a query sees. Accumulation is
// in float32; the weights may be rounded to bf16 before they are multiplied with v; the result is
// rounded once to bf16. Logits can be large (+-20,000): exp of a logit need not be representable.
// 4 d operations for each pair of a query and a key that it sees.
void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
               __nv_bfloat16* out, int heads, int queries, int keys, int d, int mask,
               cudaStream_t stream);

}  // extern "C"

// The number of keys that a query sees: keys 0 .. visible_keys - 1.
inline __host__ __device__ int visible_keys(int query, int queries, int keys, int mask) {
  if (mask == kFull) return keys;
  const int seen = query + 1 + keys - queries;
  return seen < 0 ? 0 : seen < keys ? seen : keys;
}

// 1 / sqrt(d), and the same times log2(e): exp(x) is exp2(x log2(e)), and the GPU has an
// instruction for exp2 only.
inline __host__ __device__ float logit_scale(int d) {
  return d == 64 ? 0.125f : 0.08838834764f;
}
inline constexpr float kLog2E = 1.442695041f;
