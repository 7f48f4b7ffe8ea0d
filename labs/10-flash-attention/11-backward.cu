// The backward pass: five products, and no table either.
//
// Training needs the gradients of q, k and v, given that of the output. The forward pass kept its
// result `out` and one number per row, lse = log(sum of exp(logit)). With them the weights are
// computed again, a tile at a time: p = exp(q k^T / sqrt(d) - lse) needs no running maximum, since
// the sum is known. Then, with a row's delta = sum of dout * out,
//
//     dp = dout v^T      ds = p * (dp - delta)
//     dv = p^T dout      dk = ds^T q / sqrt(d)      dq = ds k / sqrt(d)
//
// A block has 128 keys and goes through the queries that see them. dk and dv of its keys stay in
// registers. But every block has a part of every query's dq: the copy engine adds these parts in
// global memory, in float32; a third kernel scales and rounds the sums.
//
//     consumer 0: keys 0 .. 63      s = k q^T     dp = v dout^T     rows of accumulators are keys,
//     consumer 1: keys 64 .. 127    dv += p dout  dk += ds q        columns are queries
//     both, over all 128 keys       dq = k^T ds, 64 of its 128 columns each
//
// With keys as rows, p and ds are operand A of the next MMA as they are in registers (rung 5). For
// dq, a sum over keys, ds also goes through shared memory.
//
//     ./ridge grade 10-flash-attention/11-backward
#include <climits>

#include "attention.h"
#include "backward_tiles.h"
#include "hopper.cuh"

namespace {

// Prepares backward_of_keys(), one warp per row of queries (padded to whole tiles): stores the
// row's lse and delta, and zeros its sums of dq.
__global__ void __launch_bounds__(256)
    prepare_rows(const __nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ dout,
                 const float* __restrict__ lse, Rows rows, int queries, int tiles) {
  const int query = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (query >= tiles * kQueries) return;
  const int64_t padded = static_cast<int64_t>(blockIdx.y) * tiles * kQueries + query;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * queries + query;
  reinterpret_cast<float4*>(rows.dq + padded * kD)[lane] = make_float4(0, 0, 0, 0);
  float delta = 0, log_sum = -INFINITY;
  if (query < queries) {
    log_sum = lse[row];
    // TODO (about 6 lines): delta, the sum over all 128 columns of dout * out. A lane loads 4
    // columns of each as a uint2; the lanes' sums are added with __shfl_xor_sync().
  }
  if (lane == 0) {
    // TODO: times log2(e). And which value makes every weight of the row 0, without a comparison
    // later? Rows without a key, and those behind the last query, must have it.
    rows.lse[padded] = log_sum;
    rows.delta[padded] = delta;
  }
}

// The first tile of queries that sees one of the keys from key0 on.
__device__ int first_tile(const Work& work, int key0) {
  // TODO (2 lines): with a causal mask, the tile of the query that key0 is the last key of. 0 hides
  // whole tiles.
  return 0;
}

__device__ void produce(Shared& shared, const CUtensorMap* map_q, const CUtensorMap* map_k,
                        const CUtensorMap* map_v, const CUtensorMap* map_dout, const Rows& rows,
                        const Work& work, int key0, int head) {
  expect_bytes(&shared.k_full, sizeof shared.k);
  load_tile<kKeys, kD>(shared.k, map_k, key0, head, &shared.k_full);
  expect_bytes(&shared.v_full, sizeof shared.v);
  load_tile<kKeys, kD>(shared.v, map_v, key0, head, &shared.v_full);
  PipelineState<kStages> at;
  for (int tile = first_tile(work, key0); tile < work.tiles_q; ++tile, at.advance()) {
    const int i = at.stage, query0 = tile * kQueries;
    const int64_t padded = (static_cast<int64_t>(head) * work.tiles_q + tile) * kQueries;
    wait(&shared.q_empty[i], at.parity ^ 1);
    expect_bytes(&shared.q_full[i], sizeof shared.q[i] + sizeof shared.lse[i]);
    load_tile<kQueries, kD>(shared.q[i], map_q, query0, head, &shared.q_full[i]);
    load_floats(shared.lse[i], rows.lse + padded, kQueries, &shared.q_full[i]);
    wait(&shared.dout_empty[i], at.parity ^ 1);
    expect_bytes(&shared.dout_full[i], sizeof shared.dout[i] + sizeof shared.delta[i]);
    load_tile<kQueries, kD>(shared.dout[i], map_dout, query0, head, &shared.dout_full[i]);
    load_floats(shared.delta[i], rows.delta + padded, kQueries, &shared.dout_full[i]);
  }
}

// s = q k^T becomes p. lse: of the tile's queries, times log2(e).
__device__ void weigh(float (&s)[kQueries / 2], const float* lse) {
  // TODO (about 8 lines): a loop over j and one over half, as in hide_queries(). Two queries share
  // a float2 of lse. One fmaf() and one fast_exp2() per element.
}

// dp becomes ds.
__device__ void differentiate(float (&dp)[kQueries / 2], const float (&p)[kQueries / 2],
                              const float* delta) {
  // TODO (about 7 lines): p * (dp - delta), in the same loops.
}

__device__ void consume(Shared& shared, const CUtensorMap* map_dk, const CUtensorMap* map_dv,
                        const Rows& rows, const Work& work, int key0, int head) {
  const int group = threadIdx.x / 128, back = work.keys - work.queries;
  const int key = key0 + group * kKeysOfConsumer + row_of_lane();  // this lane's first one
  int first_query[2];                                              // that sees this lane's keys
  for (int half = 0; half < 2; ++half)
    first_query[half] = key + 8 * half >= work.keys ? INT_MAX
                        : work.mask == kCausal      ? key + 8 * half - back
                                                    : 0;
  // From this query on all see the whole tile of keys.
  const int all_see = key0 + kKeys > work.keys ? INT_MAX
                      : work.mask == kCausal   ? key0 + kKeys - 1 - back
                                               : 0;
  float dk[kD / 2] = {}, dv[kD / 2] = {};
  PipelineState<kStages> at;
  wait(&shared.k_full, 0);
  wait(&shared.v_full, 0);
  for (int tile = first_tile(work, key0), buffer = 0; tile < work.tiles_q;
       ++tile, buffer ^= 1, at.advance()) {
    const int i = at.stage;
    float s[kQueries / 2], dp[kQueries / 2];
    uint32_t p[kQueries / 4], ds[kQueries / 4];
    wait(&shared.q_full[i], at.parity);
    start_product(s, shared.k, shared.q[i]);
    wait(&shared.dout_full[i], at.parity);
    start_product(dp, shared.v, shared.dout[i]);
    // TODO (about 18 lines). Wait for s alone, hide queries if the tile needs it, weigh. Wait for
    // dp, differentiate, round both. Start dv += p dout. store_ds() into shared.ds[buffer],
    // fence_proxy_async(), sync_consumers(). Start dq and dk += ds q. Wait for dq with dk in
    // flight: dout has been read (release), and add_to_dq() to this consumer's part of rows.dq,
    // which is [heads][tiles][consumers][kQueries * 64]. Wait for dk: q has been read.
    wgmma_wait<0>(s);
    wgmma_wait<0>(dp);
    release(&shared.dout_empty[i]);
    release(&shared.q_empty[i]);
  }
  wgmma_wait<0>(dv);
  sync_consumers();  // both have read k
  store_gradient(map_dv, shared.v, dv, 1, key0, head);
  store_gradient(map_dk, shared.k, dk, logit_scale(kD), key0, head);
  if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
}

__global__ void __launch_bounds__((kConsumers + 1) * 128, 1)
    backward_of_keys(const __grid_constant__ CUtensorMap map_q,
                     const __grid_constant__ CUtensorMap map_k,
                     const __grid_constant__ CUtensorMap map_v,
                     const __grid_constant__ CUtensorMap map_dout,
                     const __grid_constant__ CUtensorMap map_dk,
                     const __grid_constant__ CUtensorMap map_dv, Rows rows, Work work) {
  extern __shared__ unsigned char memory[];
  auto& shared = aligned_1024<Shared>(memory);
  if (threadIdx.x == 0) init_barriers(shared);
  __syncthreads();
  const int head = blockIdx.x / work.tiles_k, key0 = blockIdx.x % work.tiles_k * kKeys;
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers)
      produce(shared, &map_q, &map_k, &map_v, &map_dout, rows, work, key0, head);
  } else {
    warpgroup_reg_alloc<240>();
    consume(shared, &map_dk, &map_dv, rows, work, key0, head);
  }
}

}  // namespace

extern "C" void attention_backward(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                   const __nv_bfloat16* v, const __nv_bfloat16* out,
                                   const __nv_bfloat16* dout, const float* lse, __nv_bfloat16* dq,
                                   __nv_bfloat16* dk, __nv_bfloat16* dv, int heads, int queries,
                                   int keys, int mask, cudaStream_t stream) {
  const Work work{queries, keys, mask, (queries + kQueries - 1) / kQueries,
                  (keys + kKeys - 1) / kKeys};
  const int64_t padded = static_cast<int64_t>(heads) * work.tiles_q * kQueries;
  float* memory = nullptr;
  cudaMallocAsync(&memory, padded * (kD + 2) * sizeof(float), stream);
  const Rows rows{memory + padded * kD, memory + padded * (kD + 1), memory};
  const dim3 row_blocks((work.tiles_q * kQueries + 7) / 8, heads), tiles(work.tiles_q, heads);
  prepare_rows<<<row_blocks, 256, 0, stream>>>(out, dout, lse, rows, queries, work.tiles_q);
  constexpr int kSharedBytes = sizeof(Shared) + 1024;  // 1024: to align
  cudaFuncSetAttribute(backward_of_keys, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  backward_of_keys<<<work.tiles_k * heads, (kConsumers + 1) * 128, kSharedBytes, stream>>>(
      map_of_heads(q, heads, queries, kD, kQueries), map_of_heads(k, heads, keys, kD, kKeys),
      map_of_heads(v, heads, keys, kD, kKeys), map_of_heads(dout, heads, queries, kD, kQueries),
      map_of_heads(dk, heads, keys, kD, kKeysOfConsumer),
      map_of_heads(dv, heads, keys, kD, kKeysOfConsumer), rows, work);
  finish_dq<<<tiles, 256, 0, stream>>>(rows, dq, queries);
  cudaFreeAsync(memory, stream);
}
