// Lab 10, rung 8: tiles whose rows are the query heads of a key-value head, tile by tile of a
// ragged batch: their way from the producer to the consumers, their tensor maps, loads and stores.
// There is nothing to edit.
//
// The `group` query heads of a key-value head see the same keys, so they fill a tile together:
//
//     row of the tile        0        1        2        3        4      ...     group = 4
//     query (token)          0        0        0        0        1
//     head            4 head + 0    + 1      + 2      + 3      + 0
#pragma once

#include "attention.h"
#include "hopper.cuh"
#include "persistent_tiles.h"

constexpr int kMostSequences = 1024, kHeadColumns = 128;

struct Work {
  int sequences, kv_heads, group, mask;
  __host__ __device__ int heads() const { return kv_heads * group; }
};

// A tile of queries of one sequence and key-value head.
struct Tile {
  int head;            // of k and v; kNone: there are no more tiles
  int token, steps;    // its first query within the sequence; tiles of keys that it needs
  int query, queries;  // of the sequence: the first one, and how many
  int key, keys;       // of the sequence
};

// A sequence in the plan: the number of its first tile, and where it is.
struct Sequence {
  int first_tile, query, queries, key, keys;
};

// The number of tiles of all key-value heads that a sequence has.
template <typename S>
__device__ int tiles_of(const Work& work, int queries) {
  return (queries * work.group + S::kQueries - 1) / S::kQueries * work.kv_heads;
}

// One block per SM, or per tile if there are fewer; the host knows only how many there may be.
template <typename S>
int blocks_for(int queries, const Work& work) {
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int64_t rows = int64_t{queries} * work.group;
  const int64_t most = (rows / S::kQueries + work.sequences) * work.kv_heads;
  return most < processors ? static_cast<int>(most) : processors;
}

// Tile `number` of a sequence: heads in groups that share L2, the last queries first, as in rung 7.
template <typename S>
__device__ Tile tile_of(const Work& work, const Sequence& sequence, int number) {
  constexpr int kBytesInL2 = 20'000'000, kBytesOfKey = 4 * kHeadColumns;
  const int tokens = S::kQueries / work.group;
  const int per_head = (sequence.queries + tokens - 1) / tokens;
  const int at_once = min(max(kBytesInL2 / kBytesOfKey / max(sequence.keys, 1), 1), 16);
  const int first = number / (per_head * at_once) * at_once;  // head of this group of heads
  const int heads = min(at_once, work.kv_heads - first), within = number - first * per_head;
  const int token = (per_head - 1 - within / heads) * tokens;
  const int last = min(token + tokens, sequence.queries) - 1;
  const int seen = visible_keys(last, sequence.queries, sequence.keys, work.mask);
  const int steps = (seen + S::kKeys - 1) / S::kKeys;
  return {first + within % heads, token,        steps,        sequence.query,
          sequence.queries,       sequence.key, sequence.keys};
}

template <typename S>
struct RaggedShared : Shared<S> {
  Tile tile[2];  // in place of Shared::number
};

// The producer sends its tile `round` = 0, 1, ..., every consumer receives it and, when it has no
// more use for it, releases it.
template <typename S>
__device__ void send(RaggedShared<S>& shared, int round, const Tile& tile) {
  wait(&shared.number_empty[round % 2], round / 2 % 2 ^ 1);
  shared.tile[round % 2] = tile;
  arrive(&shared.number_full[round % 2]);
}
template <typename S>
__device__ const Tile& receive(RaggedShared<S>& shared, int round) {
  wait(&shared.number_full[round % 2], round / 2 % 2);
  return shared.tile[round % 2];
}
template <typename S>
__device__ void release_tile(RaggedShared<S>& shared, int round) {
  __syncwarp();  // all lanes have read it
  release(&shared.number_empty[round % 2]);
}

// ---- tensor maps; a box knows nothing of sequences ----

// k or v, [keys][kv_heads][128]: boxes of box_rows keys of one head.
inline CUtensorMap map_of_keys(const __nv_bfloat16* array, int keys, int kv_heads, int box_rows) {
  constexpr cuuint64_t kRowBytes = kHeadColumns * sizeof(__nv_bfloat16);
  return map_of_boxes<3>(
      array, {kHeadColumns, static_cast<cuuint64_t>(keys), static_cast<cuuint64_t>(kv_heads)},
      {kRowBytes * kv_heads, kRowBytes}, {64, static_cast<cuuint32_t>(box_rows), 1});
}

// q or out, [queries][kv_heads][group][128]: boxes of kRows / group queries, with the group of one
// key-value head.
inline CUtensorMap map_of_queries(const __nv_bfloat16* array, int queries, const Work& work) {
  constexpr cuuint64_t kRowBytes = kHeadColumns * sizeof(__nv_bfloat16);
  const auto group = static_cast<cuuint32_t>(work.group);
  return map_of_boxes<4>(array,
                         {kHeadColumns, group, static_cast<cuuint64_t>(queries),
                          static_cast<cuuint64_t>(work.kv_heads)},
                         {kRowBytes, kRowBytes * work.heads(), kRowBytes * group},
                         {64, group, kRows / group, 1});
}

// 64 rows from `query` on, counted from the start of the array.
inline __device__ void load_queries(__nv_bfloat16* to, const CUtensorMap* map, int query, int head,
                                    uint64_t* bar) {
#pragma unroll
  for (int column = 0; column < kHeadColumns; column += 64)
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, 0, %3, %4}], [%5];" ::"r"(shared_address(to + column * kRows)),
        "l"(map), "r"(column), "r"(query), "r"(head), "r"(shared_address(bar))
        : "memory");
}

// The same way back, all 64 rows: by one thread, after stage_rows().
inline __device__ void store_queries(const CUtensorMap* map, const __nv_bfloat16* from, int query,
                                     int head) {
#pragma unroll
  for (int column = 0; column < kHeadColumns; column += 64)
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, 0, %3, %4}], [%1];" ::"l"(
            map),
        "r"(shared_address(from + column * kRows)), "r"(column), "r"(query), "r"(head)
        : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// The first `rows` of the 64, by the threads of the warpgroup, 16 bytes each.
inline __device__ void store_first_rows(__nv_bfloat16* out, const __nv_bfloat16* from, int query,
                                        int head, int rows, const Work& work) {
  constexpr int kPieces = kHeadColumns / 8;
  for (int i = threadIdx.x % 128; i < rows * kPieces; i += 128) {
    const int row = i / kPieces, piece = i % kPieces;
    const int64_t token = query + row / work.group, column = head * work.group + row % work.group;
    const __nv_bfloat16* swizzled =
        from + piece / 8 * kRows * 64 + row * 64 + (piece % 8 ^ row % 8) * 8;
    reinterpret_cast<uint4*>(out + (token * work.heads() + column) * kHeadColumns)[piece] =
        *reinterpret_cast<const uint4*>(swizzled);
  }
}
