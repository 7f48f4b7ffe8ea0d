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
//
// Hypothesis: with all SMs busy and three stages of 8 KB per warp in flight the kernel reads at the
// rate of the memory, at every batch.
// What changed from rung 4: the group is the tile of queries, a pipeline per warp, split keys.
// What that bought: the SMs that a grid of pairs leaves idle.
// Measured on an H200: 94.6% of the pure read (course/measured/nvidia-h200).
#include <algorithm>
#include <climits>

#include "decode_parts.h"

namespace {

// The number of blocks that share the keys of one pair, at most kMostParts / pairs. steps: how many
// times kKeysPerStep keys a pair has; slots: blocks that the GPU runs at the same time.
int choose_splits(int pairs, int steps, int slots) {
  constexpr int kOverhead = 2;  // steps' worth of time to start a block and to merge its part
  const int most = std::max(1, std::min(steps, kMostParts / pairs));
  int best = 1;
  int least = INT_MAX;
  for (int splits = 1; splits <= most; ++splits) {
    const int steps_per_block = (steps + splits - 1) / splits;
    const int waves = (pairs * splits + slots - 1) / slots;
    const int cost = waves * (steps_per_block + kOverhead);
    if (cost < least) least = cost, best = splits;
  }
  return best;
}

// own and other become one part: both are brought to the larger maximum.
__device__ void merge(Part& own, const Part& other) {
  const float m = fmaxf(own.m, other.m), base = m == -INFINITY ? 0 : m;
  const float f = fast_exp2(own.m - base), g = fast_exp2(other.m - base);
  own.m = m;
  own.l = own.l * f + other.l * g;
  own.o = make_float4(own.o.x * f + other.o.x * g, own.o.y * f + other.o.y * g,
                      own.o.z * f + other.o.z * g, own.o.w * f + other.o.w * g);
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
