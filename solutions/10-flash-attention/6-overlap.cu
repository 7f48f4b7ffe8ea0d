// Overlap: the softmax of one tile under the MMAs of another.
//
// 128 x 128 pairs at d = 128 take the tensor cores of an SM 2048 cycles, and its units for exp2
// 1024. In rung 5 a consumer has MMAs, then exponentials, then MMAs: the tensor cores work for it
// only while the other consumer happens to be at its exponentials. Two changes keep them busy:
//
// Within a warpgroup: the scores of the next tile are started before the weights of this one are
// multiplied with v. When the scores are complete, their softmax begins, and o += weights * v
// still executes:
//
//     tensor cores   scores 1 | output 0        scores 2 | output 1        scores 3 | output 2
//     threads                   softmax of 1               softmax of 2               softmax of 3
//
// Between the warpgroups: they take turns (ping-pong). One starts its MMAs, both groups of them,
// then gives the turn to the other one and goes to its softmax. So the two never wait for
// exponentials at the same time.
//
// The accumulators of the scores and the weights of the tile before are alive at the same time:
// 64 + 32 registers, and 64 of the output.
//
//     ./ridge grade 10-flash-attention/6-overlap
//
// Hypothesis: in rung 5 the tensor cores wait for exponentials a third of the time.
// What changed from rung 5: `consume`: the order of the MMAs, the waits for them, and turns.
// What that bought: its page in course/worklogs has the measurements.
// Measured on an H200: 98.0% of cuDNN (course/measured/nvidia-h200).
#include "attention.h"
#include "hopper.cuh"
#include "warpgroup_tiles.h"

namespace {

constexpr int kConsumers = 2, kQueries = kConsumers * kRows;  // queries of a block
constexpr int kKeys = 128, kStages = 2;                       // keys of a tile
constexpr int kThreads = (kConsumers + 1) * 128;              // and a producer

template <int kD>
struct Shared {
  alignas(1024) __nv_bfloat16 q[kConsumers][kRows * kD];  // [kD / 64][kRows][64], swizzled
  alignas(1024) __nv_bfloat16 k[kStages][kKeys * kD];     // [kD / 64][kKeys][64], swizzled
  alignas(1024) __nv_bfloat16 v[kStages][kKeys * kD];     // [kD / 64][kKeys][64], swizzled
  uint64_t q_full, k_full[kStages], k_empty[kStages], v_full[kStages], v_empty[kStages];
};

template <int kD>
__device__ void produce(Shared<kD>& shared, const CUtensorMap* map_q, const CUtensorMap* map_k,
                        const CUtensorMap* map_v, int query0, int head, int tiles) {
  expect_bytes(&shared.q_full, sizeof shared.q);
  for (int group = 0; group < kConsumers; ++group)
    load_tile<kRows, kD>(shared.q[group], map_q, query0 + group * kRows, head, &shared.q_full);
  PipelineState<kStages> at;
  for (int tile = 0; tile < tiles; ++tile, at.advance()) {
    wait(&shared.k_empty[at.stage], at.parity ^ 1);
    expect_bytes(&shared.k_full[at.stage], sizeof shared.k[0]);
    load_tile<kKeys, kD>(shared.k[at.stage], map_k, tile * kKeys, head, &shared.k_full[at.stage]);
    wait(&shared.v_empty[at.stage], at.parity ^ 1);
    expect_bytes(&shared.v_full[at.stage], sizeof shared.v[0]);
    load_tile<kKeys, kD>(shared.v[at.stage], map_v, tile * kKeys, head, &shared.v_full[at.stage]);
  }
}

// Starts s = q k^T: 64 queries of this consumer, 128 keys.
template <int kD>
__device__ void start_scores(float (&s)[kKeys / 2], const __nv_bfloat16* q,
                             const __nv_bfloat16* k) {
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < kD / 16; ++i) {
    const int box = i / 4, step = 2 * (i % 4);  // 64 columns are a box, 16 of them 32 bytes
    wgmma(s, smem_desc(q + box * kRows * 64) + step, smem_desc(k + box * kKeys * 64) + step, i > 0);
  }
  wgmma_commit();
}

// Rounds the weights: two neighbours per register, four registers per 16 keys.
__device__ void round_weights(uint32_t (&weights)[kKeys / 4], const float (&s)[kKeys / 2]) {
#pragma unroll
  for (int i = 0; i < kKeys / 4; ++i)
    weights[i] = pack(s[2 * i], s[2 * i + 1]);
}

// Starts o += weights * v.
template <int kD>
__device__ void start_output(float (&o)[kD / 2], const uint32_t (&weights)[kKeys / 4],
                             const __nv_bfloat16* v) {
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < kKeys / 16; ++i)
    wgmma(o, weights + 4 * i, smem_desc_along_n<kKeys>(v) + 128 * i, true);
  wgmma_commit();
}

template <int kD>
__device__ void consume(Shared<kD>& shared, __nv_bfloat16* out, int query0, int queries, int keys,
                        int mask) {
  const int group = threadIdx.x / 128, query = query0 + group * kRows + row_of_lane();
  const float scale = logit_scale(kD) * kLog2E;
  float o[kD / 2] = {}, s[kKeys / 2];
  uint32_t weights[kKeys / 4];
  Softmax softmax;
  PipelineState<kStages> at_k, at_v;
  wait(&shared.q_full, 0);
  wait(&shared.k_full[at_k.stage], at_k.parity);
  start_scores<kD>(s, shared.q[group], shared.k[at_k.stage]);
  wgmma_wait<0>(s);
  release(&shared.k_empty[at_k.stage]);
  at_k.advance();
  if (mask == kCausal || kKeys > keys) hide_keys(s, query, 0, queries, keys, mask);
  update(s, softmax, scale);
  round_weights(weights, s);
  if (group == 1) give_turn_to(0);
  for (int key0 = kKeys; key0 < keys; key0 += kKeys) {
    wait_for_turn(group);
    wait(&shared.k_full[at_k.stage], at_k.parity);
    start_scores<kD>(s, shared.q[group], shared.k[at_k.stage]);
    wait(&shared.v_full[at_v.stage], at_v.parity);
    start_output<kD>(o, weights, shared.v[at_v.stage]);
    give_turn_to(1 - group);
    wgmma_wait<1>(s);  // the scores are complete, the output is not
    release(&shared.k_empty[at_k.stage]);
    at_k.advance();
    if (mask == kCausal || key0 + kKeys > keys) hide_keys(s, query, key0, queries, keys, mask);
    update(s, softmax, scale);
    wgmma_wait<0>(o);
    release(&shared.v_empty[at_v.stage]);
    at_v.advance();
    rescale(o, softmax);
    round_weights(weights, s);
  }
  if (group == 0) wait_for_turn(0);  // the last turn that group 1 gives
  wait(&shared.v_full[at_v.stage], at_v.parity);
  start_output<kD>(o, weights, shared.v[at_v.stage]);
  wgmma_wait<0>(o);
  store_output<kD>(out, o, softmax, query, queries);
}

template <int kD>
__global__ void __launch_bounds__(kThreads, 1)
    attend_in_turns(const __grid_constant__ CUtensorMap map_q,
                    const __grid_constant__ CUtensorMap map_k,
                    const __grid_constant__ CUtensorMap map_v,
                    __nv_bfloat16* out,  // [heads][queries][kD]
                    int queries, int keys, int mask) {
  extern __shared__ unsigned char memory[];
  auto& shared = aligned_1024<Shared<kD>>(memory);
  const int query0 = blockIdx.x * kQueries, head = blockIdx.y;
  if (threadIdx.x == 0) {
    init(&shared.q_full, 1);
    for (int i = 0; i < kStages; ++i) {
      init(&shared.k_full[i], 1);
      init(&shared.v_full[i], 1);
      init(&shared.k_empty[i], 4 * kConsumers);  // warps
      init(&shared.v_empty[i], 4 * kConsumers);
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128 * kConsumers) {
    warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 128 * kConsumers)
      produce<kD>(shared, &map_q, &map_k, &map_v, query0, head, (keys + kKeys - 1) / kKeys);
  } else {
    warpgroup_reg_alloc<240>();
    consume<kD>(shared, out + static_cast<int64_t>(head) * queries * kD, query0, queries, keys,
                mask);
  }
}

template <int kD>
void launch(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
            __nv_bfloat16* out, int heads, int queries, int keys, int mask, cudaStream_t stream) {
  constexpr int kSharedBytes = sizeof(Shared<kD>) + 1024;  // 1024: to align
  cudaFuncSetAttribute(attend_in_turns<kD>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  const dim3 grid((queries + kQueries - 1) / kQueries, heads);
  attend_in_turns<kD><<<grid, kThreads, kSharedBytes, stream>>>(
      map_of_heads(q, heads, queries, kD, kRows), map_of_heads(k, heads, keys, kD, kKeys),
      map_of_heads(v, heads, keys, kD, kKeys), out, queries, keys, mask);
}

}  // namespace

extern "C" void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                          __nv_bfloat16* out, int heads, int queries, int keys, int d, int mask,
                          cudaStream_t stream) {
  if (d == 64)
    launch<64>(q, k, v, out, heads, queries, keys, mask, stream);
  else
    launch<128>(q, k, v, out, heads, queries, keys, mask, stream);
}
