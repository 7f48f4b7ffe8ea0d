// Lab 10, rung 11: the tiles of the backward pass in shared memory, its MMAs, the ways of its
// results to global memory, and the kernel that rounds dq. There is nothing to edit.
#pragma once

#include "attention.h"
#include "hopper.cuh"
#include "warpgroup_tiles.h"

constexpr int kD = 128, kKeys = 128, kQueries = 64;  // of a tile
constexpr int kConsumers = 2, kKeysOfConsumer = 64, kStages = 2;

struct Work {
  int queries, keys, mask, tiles_q, tiles_k;
};

// For each row of queries, padded to whole tiles: [heads][tiles][kQueries].
struct Rows {
  float* lse;    // times log2(e); +infinity where no key is seen, and behind the last query
  float* delta;  // sum over the columns of dout * out
  float* dq;     // [heads][tiles][2][kQueries * 64]: sums of ds k, in the order of add_to_dq()
};

struct Shared {
  alignas(1024) __nv_bfloat16 k[kKeys * kD];                 // [kD / 64][kKeys][64], swizzled
  alignas(1024) __nv_bfloat16 v[kKeys * kD];                 // [kD / 64][kKeys][64], swizzled
  alignas(1024) __nv_bfloat16 q[kStages][kQueries * kD];     // [kD / 64][kQueries][64], swizzled
  alignas(1024) __nv_bfloat16 dout[kStages][kQueries * kD];  // [kD / 64][kQueries][64], swizzled
  alignas(1024) __nv_bfloat16 ds[2][kQueries * kKeys];       // [kKeys / 64][kQueries][64]
  alignas(1024) float dq[kConsumers][kQueries * 64];         // in the order of add_to_dq()
  alignas(16) float lse[kStages][kQueries], delta[kStages][kQueries];
  uint64_t k_full, v_full;
  uint64_t q_full[kStages], q_empty[kStages], dout_full[kStages], dout_empty[kStages];
};

inline __device__ void init_barriers(Shared& shared) {
  init(&shared.k_full, 1);
  init(&shared.v_full, 1);
  for (int i = 0; i < kStages; ++i) {
    init(&shared.q_full[i], 1);
    init(&shared.dout_full[i], 1);
    init(&shared.q_empty[i], 4 * kConsumers);
    init(&shared.dout_empty[i], 4 * kConsumers);
  }
  fence_barrier_init();
}

// Starts the copy of `count` floats, a multiple of 4.
inline __device__ void load_floats(float* to, const float* from, int count, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(count * 4), "r"(shared_address(bar))
      : "memory");
}

// ---- MMAs ----

// Starts product = a b^T for the 64 keys of this consumer and a tile of queries. a: k or v, b: q or
// dout. Row = key, column = query.
inline __device__ void start_product(float (&product)[kQueries / 2], const __nv_bfloat16* a,
                                     const __nv_bfloat16* b) {
  const int first = threadIdx.x / 128 * kKeysOfConsumer;
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < kD / 16; ++i) {
    const int box = i / 4, step = 2 * (i % 4);
    wgmma_64<false>(product, smem_desc(a + (box * kKeys + first) * 64) + step,
                    smem_desc(b + box * kQueries * 64) + step, i > 0);
  }
  wgmma_commit();
}

// Starts sum += weights * b. weights: p or ds of this consumer's 64 keys, in registers; b: dout or
// q. Row = key, column = one of kD.
inline __device__ void start_gradient(float (&sum)[kD / 2], const uint32_t (&weights)[kQueries / 4],
                                      const __nv_bfloat16* b) {
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < kQueries / 16; ++i)
    wgmma(sum, weights + 4 * i, smem_desc_along_n<kQueries>(b) + 128 * i, true);
  wgmma_commit();
}

// Starts dq = k^T ds for 64 columns of k: those of box 0 for consumer 0, of box 1 for consumer 1.
// Row = column of k, column = query. All 128 keys are added up, so ds of both consumers is read.
inline __device__ void start_dq(float (&dq)[kQueries / 2], const __nv_bfloat16* k,
                                const __nv_bfloat16* ds) {
  const int own = threadIdx.x / 128;
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < kKeys / 16; ++i)
    wgmma_64<true>(dq, smem_desc_along_n<kKeys>(k + own * kKeys * 64) + 128 * i,
                   smem_desc(ds + i / 4 * kQueries * 64) + 2 * (i % 4), i > 0);
  wgmma_commit();
}

// Both consumers' 256 threads.
inline __device__ void sync_consumers() {
  asm volatile("bar.sync 3, 256;" ::: "memory");
}

// ---- between the MMAs ----

// Element (j, half, e) of an accumulator belongs to this lane's key `half` of two and to the query
// 8 j + 2 (lane % 4) + e of the tile. Scores become minus infinity where the query does not see the
// key. first_query: the first one that sees it, for both keys; query0: of the tile.
inline __device__ void hide_queries(float (&s)[kQueries / 2], const int (&first_query)[2],
                                    int query0) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int hidden = first_query[half] - query0 - threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < kQueries / 8; ++j)
      for (int e = 0; e < 2; ++e)
        if (8 * j + e < hidden) s[4 * j + 2 * half + e] = -INFINITY;
  }
}

template <int kCount>
__device__ void round_pairs(uint32_t (&pairs)[kCount / 2], const float (&values)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount / 2; ++i)
    pairs[i] = pack(values[2 * i], values[2 * i + 1]);
}

// ---- results ----

// This consumer's ds, rounded, to its box of shared memory: stmatrix transposes, so that a row of
// the box is a query and its columns are keys.
inline __device__ void store_ds(__nv_bfloat16* ds, const uint32_t (&pairs)[kQueries / 4]) {
  const int group = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kQueries / 16; ++i) {
    const int query = 16 * i + lane / 16 * 8 + lane % 8;        // whose address this lane passes
    const int piece = (2 * warp + lane / 8 % 2) ^ (query % 8);  // 8 keys, swizzled
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(ds + (group * kQueries + query) * 64 + piece * 8)),
                 "r"(pairs[4 * i]), "r"(pairs[4 * i + 1]), "r"(pairs[4 * i + 2]),
                 "r"(pairs[4 * i + 3])
                 : "memory");
  }
}

// Adds dq to the sums in global memory, by the copy engine. Each thread's accumulators stay
// together, four by four: no bank conflicts, and one addition of a whole piece of memory. Only
// finish_dq() sorts them. staging, sums: [kQueries / 8][128 threads][4].
inline __device__ void add_to_dq(float* sums, float* staging, const float (&dq)[kQueries / 2]) {
  const int group = threadIdx.x / 128, thread = threadIdx.x % 128;
  if (thread == 0) tma_store_wait_read<0>();
  sync_warpgroup(group);  // the engine has read the tile before
#pragma unroll
  for (int j = 0; j < kQueries / 8; ++j)
    reinterpret_cast<float4*>(staging)[j * 128 + thread] =
        make_float4(dq[4 * j], dq[4 * j + 1], dq[4 * j + 2], dq[4 * j + 3]);
  fence_proxy_async();
  sync_warpgroup(group);
  if (thread == 0)
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;"
        "cp.async.bulk.commit_group;" ::"l"(sums),
        "r"(shared_address(staging)), "r"(kQueries * 64 * 4)
        : "memory");
}

// gradient: of this consumer's 64 keys, times factor, rounded. staging: its rows of a tile
// [kD / 64][kKeys][64]; map: of boxes with 64 rows.
inline __device__ void store_gradient(const CUtensorMap* map, __nv_bfloat16* tile,
                                      const float (&gradient)[kD / 2], float factor, int key0,
                                      int head) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  const int line = threadIdx.x % 128 / 32 * 16 + lane % 16;  // whose address this lane passes
  __nv_bfloat16* const staging = tile + group * kKeysOfConsumer * 64;
#pragma unroll
  for (int i = 0; i < kD / 16; ++i) {  // 16 columns: two pieces of 8
    uint32_t pairs[4];
#pragma unroll
    for (int r = 0; r < 4; ++r)
      pairs[r] = pack(gradient[8 * i + 2 * r] * factor, gradient[8 * i + 2 * r + 1] * factor);
    const int piece = (i % 4 * 2 + lane / 16) ^ (line % 8);  // swizzled
    stmatrix_x4(staging + (i / 4 * kKeys + line) * 64 + piece * 8, pairs);
  }
  fence_proxy_async();
  sync_warpgroup(group);
  if (threadIdx.x % 128 == 0)
    store_tile<kKeys, kD>(map, staging, key0 + group * kKeysOfConsumer, head);
}

// ---- the last kernel ----

// dq [heads][queries][kD] = sums / sqrt(kD), a block per tile of queries. The sums lie in the order
// of add_to_dq(): accumulators of k^T ds, whose rows are columns of dq and whose columns are its
// rows. Shared memory turns them.
__global__ void __launch_bounds__(256)
    finish_dq(Rows rows, __nv_bfloat16* __restrict__ dq, int queries) {
  __shared__ __nv_bfloat16 turned[kQueries][kD + 8];
  const int tile = blockIdx.x, head = blockIdx.y, lane = threadIdx.x % 32;
  const int64_t number = static_cast<int64_t>(head) * gridDim.x + tile;
  const auto* sums = reinterpret_cast<const float4*>(rows.dq + number * kQueries * kD) +
                     threadIdx.x / 128 * kQueries * 16 + threadIdx.x % 128;
  const int column = threadIdx.x / 32 * 16 + lane / 4;  // and 8 further
  const float scale = logit_scale(kD);
#pragma unroll
  for (int j = 0; j < kQueries / 8; ++j) {
    const float4 sum = sums[j * 128];
    const int query = 8 * j + lane % 4 * 2;
    turned[query][column] = __float2bfloat16_rn(sum.x * scale);
    turned[query + 1][column] = __float2bfloat16_rn(sum.y * scale);
    turned[query][column + 8] = __float2bfloat16_rn(sum.z * scale);
    turned[query + 1][column + 8] = __float2bfloat16_rn(sum.w * scale);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kQueries * 16; i += 256) {
    const int query = tile * kQueries + i / 16;
    if (query < queries)
      *reinterpret_cast<uint4*>(dq + (static_cast<int64_t>(head) * queries + query) * kD +
                                i % 16 * 8) =
          *reinterpret_cast<const uint4*>(&turned[i / 16][i % 16 * 8]);
  }
}
