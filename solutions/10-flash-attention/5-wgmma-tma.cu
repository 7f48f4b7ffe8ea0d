// wgmma and the copy engine: a producer and two consumers.
//
// The warps of rung 4 load every fragment of q, k and v from shared memory themselves. wgmma reads
// them there without a load, and its rate is that of the tensor cores, not 60% of it. As in lab 06,
// one thread of a producer warpgroup starts the copies of boxes, and two consumer warpgroups of 64
// queries each only wait for full stages. A stage has one tile of keys or one of values:
//
//     operand              64 x 128 scores = q k^T            64 x kD output += weights * v
//     A, 64 rows           q, in shared memory, along kD      weights, in registers
//     B                    k, along kD: 16 of k are           v, along its columns: transposed;
//                          32 bytes further                   16 of k are 16 rows further
//
// The layout of the accumulators is that of mma.sync: d[4 j], d[4 j + 1] are columns 8 j + 2 t and
// the next of row g, d[4 j + 2], d[4 j + 3] of row g + 8. So is that of operand A in registers:
// four registers per 16 keys. The weights become an operand where they are, as in rung 4.
//
//     ./ridge grade 10-flash-attention/5-wgmma-tma
//
// Hypothesis: rung 4 is limited by the rate of mma.sync and by its own loads of fragments.
// What changed from rung 4: wgmma; boxes from the copy engine; a producer and two consumers; tiles
// of 128 keys.
// What that bought: its page in course/worklogs has the measurements.
// Measured on an H200: 84.3% of cuDNN (course/measured/nvidia-h200).
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
  PipelineState<kStages> at;
  wait(&shared.q_full, 0);
  for (int key0 = 0; key0 < keys; key0 += kKeys, at.advance()) {
    wait(&shared.k_full[at.stage], at.parity);
    start_scores<kD>(s, shared.q[group], shared.k[at.stage]);
    wgmma_wait<0>(s);
    release(&shared.k_empty[at.stage]);
    if (mask == kCausal || key0 + kKeys > keys) hide_keys(s, query, key0, queries, keys, mask);
    update(s, softmax, scale);
    rescale(o, softmax);
    round_weights(weights, s);
    wait(&shared.v_full[at.stage], at.parity);
    start_output<kD>(o, weights, shared.v[at.stage]);
    wgmma_wait<0>(o);
    release(&shared.v_empty[at.stage]);
  }
  store_output<kD>(out, o, softmax, query, queries);
}

template <int kD>
__global__ void __launch_bounds__(kThreads, 1)
    attend_two_consumers(const __grid_constant__ CUtensorMap map_q,
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
  cudaFuncSetAttribute(attend_two_consumers<kD>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kSharedBytes);
  const dim3 grid((queries + kQueries - 1) / kQueries, heads);
  attend_two_consumers<kD><<<grid, kThreads, kSharedBytes, stream>>>(
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
