// Lab 10, from rung 7: a shape of tiles and its shared memory, the numbers of tiles on their way
// from the producer to the consumers, the MMAs of rung 5, and the store of a tile by the copy
// engine. There is nothing to edit.
#pragma once

#include "attention.h"
#include "hopper.cuh"
#include "warpgroup_tiles.h"

template <int kDim, int kKeysOfTile, int kGroups>
struct Shape {
  static constexpr int kD = kDim, kKeys = kKeysOfTile, kConsumers = kGroups;
  static constexpr int kQueries = kConsumers * kRows, kThreads = (kConsumers + 1) * 128;
  // 65,536 registers: 128 (24 + 2 * 240) are 64,512, and 128 (32 + 3 * 160) are 65,536.
  static constexpr int kOfProducer = kConsumers == 2 ? 24 : 32;
  static constexpr int kOfConsumer = kConsumers == 2 ? 240 : 160;
  static constexpr int kStages = kD == 64 ? 3 : 2;  // of k and of v: what has room beside q and out
};

constexpr int kNone = -1;

template <typename S>
struct Shared {
  alignas(1024) __nv_bfloat16 q[S::kConsumers][kRows * S::kD];    // [kD / 64][kRows][64], swizzled
  alignas(1024) __nv_bfloat16 k[S::kStages][S::kKeys * S::kD];    // [kD / 64][kKeys][64], swizzled
  alignas(1024) __nv_bfloat16 v[S::kStages][S::kKeys * S::kD];    // [kD / 64][kKeys][64], swizzled
  alignas(1024) __nv_bfloat16 out[S::kConsumers][kRows * S::kD];  // [kD / 64][kRows][64], swizzled
  uint64_t q_full, q_empty, number_full[2], number_empty[2];
  uint64_t k_full[S::kStages], k_empty[S::kStages], v_full[S::kStages], v_empty[S::kStages];
  int number[2];  // of this tile and the next one; kNone: there are no more
};

template <typename S>
__device__ void init_barriers(Shared<S>& shared) {
  constexpr int kWarps = 4 * S::kConsumers;
  init(&shared.q_full, 1);
  init(&shared.q_empty, kWarps);
  for (int i = 0; i < 2; ++i) {
    init(&shared.number_full[i], 1);
    init(&shared.number_empty[i], kWarps);
  }
  for (int i = 0; i < S::kStages; ++i) {
    init(&shared.k_full[i], 1);
    init(&shared.v_full[i], 1);
    init(&shared.k_empty[i], kWarps);
    init(&shared.v_empty[i], kWarps);
  }
  fence_barrier_init();
}

// The producer sends the number of its tile `round` = 0, 1, ..., every consumer receives it.
template <typename S>
__device__ void send(Shared<S>& shared, int round, int number) {
  wait(&shared.number_empty[round % 2], round / 2 % 2 ^ 1);
  shared.number[round % 2] = number;
  arrive(&shared.number_full[round % 2]);
}
template <typename S>
__device__ int receive(Shared<S>& shared, int round) {
  wait(&shared.number_full[round % 2], round / 2 % 2);
  const int number = shared.number[round % 2];
  __syncwarp();  // all lanes have read it
  release(&shared.number_empty[round % 2]);
  return number;
}

// Starts s = q k^T.
template <typename S>
__device__ void start_scores(float (&s)[S::kKeys / 2], const __nv_bfloat16* q,
                             const __nv_bfloat16* k) {
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < S::kD / 16; ++i) {
    const int box = i / 4, step = 2 * (i % 4);
    wgmma(s, smem_desc(q + box * kRows * 64) + step, smem_desc(k + box * S::kKeys * 64) + step,
          i > 0);
  }
  wgmma_commit();
}

// Starts o += weights * v.
template <typename S>
__device__ void start_output(float (&o)[S::kD / 2], const uint32_t (&weights)[S::kKeys / 4],
                             const __nv_bfloat16* v) {
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < S::kKeys / 16; ++i)
    wgmma(o, weights + 4 * i, smem_desc_along_n<S::kKeys>(v) + 128 * i, true);
  wgmma_commit();
}

template <int kCount>
__device__ void round_weights(uint32_t (&weights)[kCount / 2], const float (&s)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount / 2; ++i)
    weights[i] = pack(s[2 * i], s[2 * i + 1]);
}

// o / l for the 64 rows of this consumer, to its part of shared.out by stmatrix; after that every
// thread of the warpgroup and the copy engine may read it.
template <typename S>
__device__ void stage_rows(Shared<S>& shared, const float (&o)[S::kD / 2], const Softmax& softmax) {
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;
  const int line = threadIdx.x % 128 / 32 * 16 + lane % 16;  // whose address this lane passes
  __nv_bfloat16* const to = shared.out[group];
  float share[2];
  shares(share, softmax);
  if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
  sync_warpgroup(group);  // the tile before has been read
#pragma unroll
  for (int i = 0; i < S::kD / 16; ++i) {  // 16 columns: two pieces of 8
    uint32_t pairs[4];
#pragma unroll
    for (int r = 0; r < 4; ++r)
      pairs[r] = pack(o[8 * i + 2 * r] * share[r % 2], o[8 * i + 2 * r + 1] * share[r % 2]);
    const int piece = (i % 4 * 2 + lane / 16) ^ (line % 8);  // swizzled
    stmatrix_x4(to + i / 4 * kRows * 64 + line * 64 + piece * 8, pairs);
  }
  fence_proxy_async();
  sync_warpgroup(group);
}

// out = o / l for the 64 rows of this consumer from `query` on, by the copy engine while the next
// tile begins.
template <typename S>
__device__ void store_rows(Shared<S>& shared, const CUtensorMap* map_out,
                           const float (&o)[S::kD / 2], const Softmax& softmax, int query,
                           int head) {
  stage_rows(shared, o, softmax);
  if (threadIdx.x % 128 == 0)
    store_tile<kRows, S::kD>(map_out, shared.out[threadIdx.x / 128], query, head);
}
