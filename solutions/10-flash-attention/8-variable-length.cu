// A ragged batch: sequences of any length, and no work for padding.
//
// Sequences of 100 tokens beside one of 16,000, padded to the longest, would be mostly zeros. So
// they lie one behind the other, and an array says where each begins (cu_seqlens). Here three, 11
// rows:
//
//     row          0  1  2  3  4  5  6  7  8  9 10      cu_seqlens_q = 0, 5, 7, 11
//     sequence     0  0  0  0  0  1  1  2  2  2  2
//     tiles of 4   a  a  a  a  b  .  .  .               a tile begins with its sequence
//                                 c  c  .  .            . loaded, but of another sequence
//                                       d  d  d  d
//
// The last tile of a sequence reaches into the next one. Its loads may: what they bring is hidden
// (keys) or not stored (queries). Its store may not, so these rows are stored one by one.
//
// The host does not know the lengths. A first kernel makes the plan: the sequences by their numbers
// of keys, the longest first, each with the number of its first tile. Producers look up their tiles
// in it; the numbers of a block only grow, so it walks on in the plan from where it is.
//
// With *grouped queries* several query heads use one head of keys and values. Their rows fill a
// tile together (ragged_tiles.h). The mask counts queries, not rows.
//
//     ./ridge grade 10-flash-attention/8-variable-length
//
// Hypothesis: if only the tiles that exist are computed, longest first, a ragged batch runs at the
// rate of rung 7; what is lost are the rows and keys behind the end of each sequence.
// What changed from rung 7: the plan; tiles of a sequence; the mask; the last tile's store.
// What that bought, on an H100: 99.9% to 102.2% of rung 7 at 8192 for each useful operation.
// Measured on an H200: 118.3% of cuDNN (course/measured/nvidia-h200).
#include "attention.h"
#include "hopper.cuh"
#include "key_loop.h"
#include "ragged_tiles.h"

namespace {

__device__ Sequence plan[kMostSequences + 1];  // the last one: the number of tiles
__device__ unsigned taken;                     // tiles, besides each block's first one

// One block, one thread per sequence.
template <typename S>
__global__ void plan_tiles(const int* cu_seqlens_q, const int* cu_seqlens_k, Work work) {
  __shared__ int keys[kMostSequences], tiles[kMostSequences];
  const int i = threadIdx.x;
  Sequence own = {};
  if (i < work.sequences) {
    own.query = cu_seqlens_q[i], own.queries = cu_seqlens_q[i + 1] - own.query;
    own.key = cu_seqlens_k[i], own.keys = cu_seqlens_k[i + 1] - own.key;
    keys[i] = own.keys;
    tiles[i] = tiles_of<S>(work, own.queries);
  }
  if (i == 0) taken = 0;
  __syncthreads();
  if (i >= work.sequences) return;
  int place = 0;
  for (int j = 0; j < work.sequences; ++j)
    if (keys[j] > keys[i] || (keys[j] == keys[i] && j < i)) {  // comes before this one
      ++place;
      own.first_tile += tiles[j];
    }
  plan[place] = own;
  if (place == work.sequences - 1) plan[work.sequences].first_tile = own.first_tile + tiles[i];
}

// Scores become minus infinity where the query of their row does not see the key. token: of the
// consumer's first row; key0: the tile's first key; both within the sequence.
template <int kCount>
__device__ void hide_keys(float (&s)[kCount], const Work& work, const Tile& tile, int token,
                          int key0) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int query = token + (row_of_lane() + 8 * half) / work.group;
    const int visible = visible_keys(query, tile.queries, tile.keys, work.mask) - key0 -
                        threadIdx.x % 4 * 2;  // counted from this lane's first column
#pragma unroll
    for (int e = 0; e < kCount / 2; ++e)
      if (e / 2 * 8 + e % 2 >= visible) score(s, half, e) = -INFINITY;
  }
}

template <typename S>
__device__ void produce(RaggedShared<S>& shared, const CUtensorMap* map_q, const CUtensorMap* map_k,
                        const CUtensorMap* map_v, const Work& work) {
  PipelineState<S::kStages> at;
  int round = 0;
  const Sequence* sequence = plan;
  const int tiles = plan[work.sequences].first_tile;
  for (int number = blockIdx.x; number < tiles; ++round) {
    const int next = gridDim.x + atomicAdd(&taken, 1);
    while (number >= sequence[1].first_tile)
      ++sequence;
    const Tile tile = tile_of<S>(work, *sequence, number - sequence->first_tile);
    send(shared, round, tile);
    wait(&shared.q_empty, round % 2 ^ 1);
    expect_bytes(&shared.q_full, sizeof shared.q);
    for (int group = 0; group < S::kConsumers; ++group)
      load_queries(shared.q[group], map_q, tile.query + tile.token + group * kRows / work.group,
                   tile.head, &shared.q_full);
    for (int step = tile.steps - 1; step >= 0; --step, at.advance()) {
      const int key = tile.key + step * S::kKeys;
      uint64_t *k_full = &shared.k_full[at.stage], *v_full = &shared.v_full[at.stage];
      wait(&shared.k_empty[at.stage], at.parity ^ 1);
      expect_bytes(k_full, sizeof shared.k[0]);
      load_tile<S::kKeys, S::kD>(shared.k[at.stage], map_k, key, tile.head, k_full);
      wait(&shared.v_empty[at.stage], at.parity ^ 1);
      expect_bytes(v_full, sizeof shared.v[0]);
      load_tile<S::kKeys, S::kD>(shared.v[at.stage], map_v, key, tile.head, v_full);
    }
    number = next;
  }
  send(shared, round, Tile{kNone});
}

template <typename S>
__device__ void consume(RaggedShared<S>& shared, const CUtensorMap* map_out, __nv_bfloat16* out,
                        const Work& work) {
  const int group = threadIdx.x / 128;
  PipelineState<S::kStages> at_k, at_v;
  if (group == S::kConsumers - 1) give_turn_to(0);
  for (int round = 0;; ++round) {
    const Tile& tile = receive(shared, round);
    if (tile.head == kNone) break;
    const int token = tile.token + group * kRows / work.group;  // this consumer's first query
    const int all_see = visible_keys(token, tile.queries, tile.keys, work.mask);
    float o[S::kD / 2] = {};
    Softmax softmax;
    wait(&shared.q_full, round % 2);
    attend_keys(shared, at_k, at_v, o, softmax, tile.steps, all_see,
                [&](auto& s, int step) { hide_keys(s, work, tile, token, step * S::kKeys); });
    stage_rows(shared, o, softmax);
    const int rows = (tile.queries - token) * work.group;  // rows left in the sequence
    if (rows < kRows)
      store_first_rows(out, shared.out[group], tile.query + token, tile.head, rows, work);
    else if (threadIdx.x % 128 == 0)
      store_queries(map_out, shared.out[group], tile.query + token, tile.head);
    release_tile(shared, round);
  }
  if (group == 0) wait_for_turn(0);
  if (threadIdx.x % 128 == 0) tma_store_wait_read<0>();
}

template <typename S>
__global__ void __launch_bounds__(S::kThreads, 1)
    attend_ragged(const __grid_constant__ CUtensorMap map_q,
                  const __grid_constant__ CUtensorMap map_k,
                  const __grid_constant__ CUtensorMap map_v,
                  const __grid_constant__ CUtensorMap map_out, __nv_bfloat16* out, Work work) {
  extern __shared__ unsigned char memory[];
  auto& shared = aligned_1024<RaggedShared<S>>(memory);
  if (threadIdx.x == 0) init_barriers(shared);
  __syncthreads();
  if (threadIdx.x >= 128 * S::kConsumers) {
    warpgroup_reg_dealloc<S::kOfProducer>();
    if (threadIdx.x == 128 * S::kConsumers) produce(shared, &map_q, &map_k, &map_v, work);
  } else {
    warpgroup_reg_alloc<S::kOfConsumer>();
    consume(shared, &map_out, out, work);
  }
}

}  // namespace

extern "C" void varlen_attention(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                 const __nv_bfloat16* v, const int* cu_seqlens_q,
                                 const int* cu_seqlens_k, __nv_bfloat16* out, int sequences,
                                 int queries, int keys, int kv_heads, int group, int mask,
                                 cudaStream_t stream) {
  const Work work{sequences, kv_heads, group, mask};
  const auto launch = [&](auto shape) {
    using S = decltype(shape);
    plan_tiles<S><<<1, (sequences + 31) / 32 * 32, 0, stream>>>(cu_seqlens_q, cu_seqlens_k, work);
    constexpr int kSharedBytes = sizeof(RaggedShared<S>) + 1024;  // 1024: to align
    const auto kernel = attend_ragged<S>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
    kernel<<<blocks_for<S>(queries, work), S::kThreads, kSharedBytes, stream>>>(
        map_of_queries(q, queries, work), map_of_keys(k, keys, kv_heads, S::kKeys),
        map_of_keys(v, keys, kv_heads, S::kKeys), map_of_queries(out, queries, work), out, work);
  };
  mask == kCausal ? launch(Shape<128, 128, 2>()) : launch(Shape<128, 160, 2>());
}
