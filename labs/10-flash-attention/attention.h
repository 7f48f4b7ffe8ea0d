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

// A ragged batch (rung 8): sequences of different lengths, one behind the other. Sequence i has the
// queries cu_seqlens_q[i] .. cu_seqlens_q[i + 1] - 1 and the keys cu_seqlens_k[i] ..
// cu_seqlens_k[i + 1] - 1; both arrays have sequences + 1 elements, begin with 0 and end with
// `queries` and `keys`, the numbers of all sequences together. A sequence may have no query or no
// key. A query sees keys of its own sequence only, all or by the causal mask within the sequence;
// without a key its result is 0. Query head h uses key-value head h / group; group is 1, 2, 4 or 8.
// q, out: [queries][kv_heads * group][128]; k, v: [keys][kv_heads][128]. At most 1024 sequences.
// The numbers are those of attention().
void varlen_attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                      const int* cu_seqlens_q, const int* cu_seqlens_k, __nv_bfloat16* out,
                      int sequences, int queries, int keys, int kv_heads, int group, int mask,
                      cudaStream_t stream);

// One step of decoding (rung 9): a new token per sequence attends to all keys of its sequence. Of
// every sequence each key-value head serves `group` query heads, 1 to 8. q, out:
// [batch][kv_heads][group][128]; k, v: [batch][kv_heads][keys][128]. d is 128, every key is seen,
// and batch * kv_heads is at most 4096. The numbers are those of attention().
void decode_attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                      __nv_bfloat16* out, int batch, int kv_heads, int group, int keys,
                      cudaStream_t stream);

// The same with a cache in pages (rung 10). Sequence b has lengths[b] keys, from 0 to `keys`;
// without a key its result is 0. A page has `page` keys, 16 or 64, of all key-value heads. The
// pages of a sequence lie in `shards` shards, 1 to 4, by turns: page i in shard i % shards, where
// it has the number table[b][i]. k_pages, v_pages:
// [shards][pages_of_shard()][kv_heads][page][128]; table: [batch][pages], where pages is
// keys / page, rounded up; q and out as above.
void paged_decode(const __nv_bfloat16* q, const __nv_bfloat16* k_pages,
                  const __nv_bfloat16* v_pages, const int64_t* table, const int64_t* lengths,
                  __nv_bfloat16* out, int batch, int kv_heads, int group, int keys, int page,
                  int shards, cudaStream_t stream);

// The gradients of attention() for d = 128 (rung 11), given that of its result. q, out, dout, dq:
// [heads][queries][128]; k, v, dk, dv: [heads][keys][128]; lse: [heads][queries], the natural
// logarithm of the sum of exp(logit) over the keys that a query sees, minus infinity if it sees
// none. With scale = 1 / sqrt(128), p = exp(q k^T scale - lse), 0 where the key is not seen, and
// delta = the sum over the columns of dout * out, with `out` as it is given:
//     dv = p^T dout    ds = p * (dout v^T - delta)    dk = ds^T q scale    dq = ds k scale
// Accumulation is in float32; p and ds may be rounded to bf16 before they are multiplied; results
// are rounded once. 10 d operations for each pair of a query and a key that it sees.
void attention_backward(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                        const __nv_bfloat16* out, const __nv_bfloat16* dout, const float* lse,
                        __nv_bfloat16* dq, __nv_bfloat16* dk, __nv_bfloat16* dv, int heads,
                        int queries, int keys, int mask, cudaStream_t stream);

}  // extern "C"

// The number of pages of each shard: one more than the longest sequences need.
inline __host__ __device__ int pages_of_shard(int batch, int keys, int page, int shards) {
  const int pages = (keys + page - 1) / page;
  return batch * ((pages + shards - 1) / shards) + 1;
}

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
