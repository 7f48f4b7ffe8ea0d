// Attention that decodes from a cache in pages: where a key lies, a table says.
//
// A server holds the caches of many sequences, which grow by a key per token and end at different
// lengths. In one piece per sequence each would need room for the longest one. So the cache is
// divided into *pages* of 16 or 64 keys, a sequence gets a page when it needs one, and a table has
// the number of each. Several *shards*, for example one per GPU or per allocation, take the pages
// of a sequence by turns, so that a long sequence needs no single large memory:
//
//     keys of a sequence      0 .. 15     16 .. 31     32 .. 47     48 .. 63      page 16, 2 shards
//     page i                     0            1            2            3
//     shard i % 2                0            1            0            1
//     its number there, e.g.  table: 7        2            0            5
//
// A warp's 16 keys of a step never cross a page, since pages are multiples of 16 and steps begin at
// multiples of 16. So one look into the table per warp and step gives the address of its 16 rows,
// which are 4 KB in one piece. Everything else is rung 9, with a length of its own per sequence: a
// block whose keys all lie behind the end stores an empty part.
//
//     ./ridge grade 10-flash-attention/10-paged
//
// Hypothesis: 4 KB in one piece are enough for the memory; the look into the table hides behind the
// two stages that are in flight.
// What changed from rung 9: the address of a step's keys, and lengths.
// What that bought: a cache without holes, at the rate of rung 9.
// Measured on an H200: 91.3% of the pure read (course/measured/nvidia-h200).
#include "choose_splits.h"

namespace {

// own and other become one part: both are brought to the larger maximum.
__device__ void merge(Part& own, const Part& other) {
  const float m = fmaxf(own.m, other.m), base = m == -INFINITY ? 0 : m;
  const float f = fast_exp2(own.m - base), g = fast_exp2(other.m - base);
  own.m = m;
  own.l = own.l * f + other.l * g;
  own.o = make_float4(own.o.x * f + other.o.x * g, own.o.y * f + other.o.y * g,
                      own.o.z * f + other.o.z * g, own.o.w * f + other.o.w * g);
}

// The shape of the cache, and where it is.
struct Cache {
  const __nv_bfloat16 *k, *v;  // [shards][pages_of_shard][kv_heads][page][kD]
  const int64_t *table, *lengths;
  int kv_heads, pages, page, shards, pages_of_shard;  // pages: of the longest sequence
};

// The row of the pools that has this key of a sequence and key-value head.
__device__ int64_t row_of_key(const Cache& cache, int sequence, int head, int key) {
  const int i = key / cache.page, shard = i % cache.shards;
  const int64_t number = cache.table[int64_t{sequence} * cache.pages + i];
  const int64_t page = shard * int64_t{cache.pages_of_shard} + number;
  return (page * cache.kv_heads + head) * cache.page + key % cache.page;
}

__global__ void __launch_bounds__(kThreads, 1)
    decode_paged(const __nv_bfloat16* q, Cache cache, __nv_bfloat16* out, int group,
                 int steps_per_block) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const int warp = threadIdx.x / 32, pair = blockIdx.y, splits = gridDim.x;
  const int sequence = pair / cache.kv_heads, head = pair % cache.kv_heads;
  Stage* const stages = reinterpret_cast<Stage*>(memory) + warp * kStages;  // of this warp
  q += pair * group * kD, out += pair * group * kD;
  const int first_key = blockIdx.x * steps_per_block * kKeysPerStep + warp * kKeys;
  const int left = static_cast<int>(cache.lengths[sequence]) - first_key;  // keys, from there on
  const int steps = min(steps_per_block, (left + kKeysPerStep - 1) / kKeysPerStep);
  const auto start = [&](int i) {
    if (i < steps) {
      const int key = first_key + i * kKeysPerStep;
      start_copy_of_warp(stages[i % kStages], cache.k, cache.v,
                         row_of_key(cache, sequence, head, key), left - i * kKeysPerStep);
    }
    commit_copies();
  };
  for (int i = 0; i < kStages - 1; ++i)
    start(i);
  uint32_t of_q[kD / 16][2];
  load_queries(of_q, q, group);
  Accumulators own;
  for (int i = 0; i < steps; ++i) {
    start(i + kStages - 1);
    wait_for_copies<kStages - 1>();
    __syncwarp();  // the other lanes' copies have arrived, too
    float s[2][4] = {};
    multiply_by_keys(s, of_q, stages[i % kStages], left - i * kKeysPerStep);
    add_values(own, s, stages[i % kStages]);
    __syncwarp();  // all lanes have read the stage: the next step overwrites it
  }
  wait_for_copies<0>();
  __syncthreads();
  WarpParts& of_warps = *reinterpret_cast<WarpParts*>(memory);
  store_part_of_warp(of_warps, own);
  __syncthreads();
  Part part;
  for (int w = 0; w < kWarps; ++w)
    merge(part, part_of_warp(of_warps, w));
  if (splits == 1) {
    store_result(out, part, group);
    return;
  }
  store_part(pair * splits + blockIdx.x, part);
  __shared__ bool last;
  __threadfence();  // the part must be visible before the count
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicInc(blocks_done + pair, splits - 1) == splits - 1;  // the last one resets it to 0
  __syncthreads();
  if (!last) return;
  __threadfence();
  part = {};
#pragma unroll 8
  for (int i = 0; i < splits; ++i)
    merge(part, load_part(pair * splits + i));
  store_result(out, part, group);
}

}  // namespace

extern "C" void paged_decode(const __nv_bfloat16* q, const __nv_bfloat16* k_pages,
                             const __nv_bfloat16* v_pages, const int64_t* table,
                             const int64_t* lengths, __nv_bfloat16* out, int batch, int kv_heads,
                             int group, int keys, int page, int shards, cudaStream_t stream) {
  constexpr int kBytes = kWarps * kStages * sizeof(Stage);
  static const int sms = [] {  // once: such calls take longer than the launch
    cudaFuncSetAttribute(decode_paged, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    int device = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
  }();
  const int pairs = batch * kv_heads, steps = (keys + kKeysPerStep - 1) / kKeysPerStep;
  const int splits = choose_splits(pairs, steps, sms);
  const Cache cache = {k_pages, v_pages,  table,
                       lengths, kv_heads, (keys + page - 1) / page,
                       page,    shards,   pages_of_shard(batch, keys, page, shards)};
  decode_paged<<<dim3(splits, pairs), kThreads, kBytes, stream>>>(q, cache, out, group,
                                                                  (steps + splits - 1) / splits);
}
