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
//
// Hypothesis: five products per tile, and the exponentials between them, reach 90% of cuDNN if no
// operand but ds makes a detour and nobody waits for the additions to dq.
// What changed from rung 7: keys stay and queries pass by; a result that several blocks add to.
// Measured on an H200: 108.4% of cuDNN (course/measured/nvidia-h200).
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
    const uint2 a = reinterpret_cast<const uint2*>(out + row * kD)[lane];  // 4 columns
    const uint2 b = reinterpret_cast<const uint2*>(dout + row * kD)[lane];
    const auto* of_out = reinterpret_cast<const __nv_bfloat16*>(&a);
    const auto* of_dout = reinterpret_cast<const __nv_bfloat16*>(&b);
    for (int c = 0; c < 4; ++c)
      delta += __bfloat162float(of_out[c]) * __bfloat162float(of_dout[c]);
    for (int other = 16; other > 0; other /= 2)
      delta += __shfl_xor_sync(0xffffffffu, delta, other);
  }
  if (lane == 0) {
    rows.lse[padded] = log_sum == -INFINITY ? INFINITY : log_sum * kLog2E;
    rows.delta[padded] = delta;
  }
}

// The first tile of queries that sees one of the keys from key0 on.
__device__ int first_tile(const Work& work, int key0) {
  if (work.mask == kFull) return 0;
  return max(0, key0 - (work.keys - work.queries)) / kQueries;
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
  const float scale = logit_scale(kD) * kLog2E;
#pragma unroll
  for (int j = 0; j < kQueries / 8; ++j) {
    const float2 of = *reinterpret_cast<const float2*>(lse + 8 * j + threadIdx.x % 4 * 2);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      s[4 * j + 2 * half] = fast_exp2(fmaf(s[4 * j + 2 * half], scale, -of.x));
      s[4 * j + 2 * half + 1] = fast_exp2(fmaf(s[4 * j + 2 * half + 1], scale, -of.y));
    }
  }
}

// dp becomes ds.
__device__ void differentiate(float (&dp)[kQueries / 2], const float (&p)[kQueries / 2],
                              const float* delta) {
#pragma unroll
  for (int j = 0; j < kQueries / 8; ++j) {
    const float2 of = *reinterpret_cast<const float2*>(delta + 8 * j + threadIdx.x % 4 * 2);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      dp[4 * j + 2 * half] = p[4 * j + 2 * half] * (dp[4 * j + 2 * half] - of.x);
      dp[4 * j + 2 * half + 1] = p[4 * j + 2 * half + 1] * (dp[4 * j + 2 * half + 1] - of.y);
    }
  }
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
    wgmma_wait<1>(s);
    if (tile * kQueries < all_see) hide_queries(s, first_query, tile * kQueries);
    weigh(s, shared.lse[i]);
    wgmma_wait<0>(dp);
    differentiate(dp, s, shared.delta[i]);
    round_pairs(p, s);
    round_pairs(ds, dp);
    start_gradient(dv, p, shared.dout[i]);
    store_ds(shared.ds[buffer], ds);
    fence_proxy_async();
    sync_consumers();  // ds of both is there; two tiles before has been read
    float dq[kQueries / 2];
    start_dq(dq, shared.k, shared.ds[buffer]);
    start_gradient(dk, ds, shared.q[i]);
    wgmma_wait<1>(dq);
    release(&shared.dout_empty[i]);
    const int64_t number = static_cast<int64_t>(head) * work.tiles_q + tile;
    add_to_dq(rows.dq + (number * kConsumers + group) * kQueries * 64, shared.dq[group], dq);
    wgmma_wait<0>(dk);
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
