// Attention that decodes: one query per head, and a cache of keys and values that is read once.
//
// A language model makes one token at a time. Its query attends to all earlier tokens, whose keys
// and values are kept in a cache. There is no tile of queries that could share a key: only the
// query heads of one group do, 8 here. That makes 4 * 8 * 128 operations per key and 512 bytes: 8
// operations per byte, where an H200 needs 200. So the memory decides, and the target is the rate
// of a kernel that only reads.
//
// A block per *pair* (a sequence and a key-value head) would leave most SMs without work: a batch
// of 1 with 8 key-value heads has 8 pairs, an H200 132 SMs. So the keys of a pair are *split* among
// several blocks. Each has its own maximum, sum and accumulators of the keys that it has seen. Two
// such parts are merged as the online softmax merges a tile with what it has:
//
//     block 0   keys    0 ..  127    m0, l0, o0   --+
//     block 1   keys  128 ..  255    m1, l1, o1   --+--> the last block of the pair merges them
//     block 2   keys  256 ..  383    m2, l2, o2   --+
//
// More splits occupy more SMs, and each one costs a start of the pipeline and one part to merge.
// The best number depends on the batch, the length and the GPU, so the code chooses it.
//
//     ./ridge grade 10-flash-attention/9-decode
#include <algorithm>
#include <climits>

#include "decode_parts.h"

namespace {

// The number of blocks that share the keys of one pair, at most kMostParts / pairs. steps: how many
// times kKeysPerStep keys a pair has; slots: blocks that the GPU runs at the same time.
int choose_splits(int pairs, int steps, int slots) {
  // TODO (about 10 lines): the grid has pairs * splits blocks, which run in waves of `slots`. How
  // many steps does a block have, how many waves are there, and how long does a wave take if each
  // block needs the time of two more steps to start and to be merged? Try every number up to the
  // most that kMostParts and `steps` allow, and take the cheapest.
  return 1;
}

// own and other become one part: both are brought to the larger maximum.
__device__ void merge(Part& own, const Part& other) {
  // TODO (about 6 lines): the larger maximum, the factor of each part (fast_exp2() of its maximum
  // less the larger one; 0 instead of the larger one if no part has seen a key), and m, l and o.
}

__global__ void __launch_bounds__(kThreads, 1)
    decode_split(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                 __nv_bfloat16* out, int group, int keys, int steps_per_block) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const int warp = threadIdx.x / 32, pair = blockIdx.y, splits = gridDim.x;
  Stage* const stages = reinterpret_cast<Stage*>(memory) + warp * kStages;  // of this warp
  k += int64_t{pair} * keys * kD, v += int64_t{pair} * keys * kD;
  q += pair * group * kD, out += pair * group * kD;
  const int first_key = blockIdx.x * steps_per_block * kKeysPerStep + warp * kKeys;
  const int left = keys - first_key;  // keys of the pair from the warp's first one on
  const int steps = min(steps_per_block, (left + kKeysPerStep - 1) / kKeysPerStep);
  const auto start = [&](int i) {
    if (i < steps)
      start_copy_of_warp(stages[i % kStages], k, v, first_key + i * kKeysPerStep,
                         left - i * kKeysPerStep);
    commit_copies();
  };
  // TODO (2 lines): start the copies of the first kStages - 1 steps.
  uint32_t of_q[kD / 16][2];
  load_queries(of_q, q, group);
  Accumulators own;
  for (int i = 0; i < steps; ++i) {
    // TODO (3 lines): start a step's copy, so that kStages - 1 steps are under way; wait for step
    // i's copies of this lane, then for those of the other lanes of the warp.
    float s[2][4] = {};
    multiply_by_keys(s, of_q, stages[i % kStages], left - i * kKeysPerStep);
    add_values(own, s, stages[i % kStages]);
    // TODO (1 line): the next step overwrites this stage. What must have happened before?
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
  // TODO (about 11 lines): count the blocks of this pair that have stored their parts, as the last
  // block of rung 3/4 is found; the part must be visible before the count, and the count must be 0
  // again for the next launch. All blocks but the last return. The last one merges load_part() of
  // all parts, from the first one on.
  store_result(out, part, group);
}

}  // namespace

extern "C" void decode_attention(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                 const __nv_bfloat16* v, __nv_bfloat16* out, int batch,
                                 int kv_heads, int group, int keys, cudaStream_t stream) {
  constexpr int kBytes = kWarps * kStages * sizeof(Stage);
  static const int sms = [] {  // once: such calls take longer than the launch
    cudaFuncSetAttribute(decode_split, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    int device = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
  }();
  const int pairs = batch * kv_heads, steps = (keys + kKeysPerStep - 1) / kKeysPerStep;
  const int splits = choose_splits(pairs, steps, sms);
  decode_split<<<dim3(splits, pairs), kThreads, kBytes, stream>>>(q, k, v, out, group, keys,
                                                                  (steps + splits - 1) / splits);
}
