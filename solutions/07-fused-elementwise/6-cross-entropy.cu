// loss = log(sum of exp(logits)) - logits[target], over a large vocabulary: read once, store
// nothing.
//
// The last layer of a language model gives one logit per word of its vocabulary, 131,072 of them.
// The loss of a row is the logarithm of its softmax at the target. Kernel by kernel that is a
// maximum, exponentials (stored: as large as the logits), a sum, a logarithm: 8 bytes per logit.
// The online form of lab 03 needs one pass, 2 bytes per logit, and stores one float per row:
//
//     maximum m, sum s of exp(x - m) so far; 8 more logits with the maximum g:
//         n = max(m, g)     s = s * exp(m - n) + exp(x0 - n) + ... + exp(x7 - n)     m = n
//
// One rescaling per 8 logits: an SM has 16 special function units per cycle, and at the rate of the
// memory nearly 10 logits arrive per cycle. An exponential more per logit would exceed that. Two
// such pairs (m, s) of different logits are merged in the same way, so a block shares a row.
//
// exp(x - m) = 2^(x log2(e) - m log2(e)): one FMA and ex2.
//
//     ./ridge grade 07-fused-elementwise/6-cross-entropy
//
// Hypothesis: about 6 instructions per logit fit under its 2 bytes; the rate of reading is the
// limit.
// What changed: nothing is written, so the roof is the rate of reading, not that of a copy.
// What that bought: one pass for four.
// Measured on an H200: 101.3% of the pure read (course/measured/nvidia-h200).
#include "fused.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 512, kWarps = kThreads / 32;  // per block; one block per row
constexpr int kInFlight = 4;  // vectors that a thread loads before it uses one
constexpr float kLog2E = 1.4426950408889634f, kLn2 = 0.6931471805599453f;
constexpr float kLowest = -3.0e38f;  // below every logit; kLowest - kLowest is 0, not NaN

struct Online {
  float maximum, sum;  // sum of exp(x - maximum)
};

__device__ Online nothing() {
  return {kLowest, 0};
}

__device__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ void add(Online& online, const Floats& x) {
  float largest = x.of[0];
#pragma unroll
  for (int i = 1; i < kPerVector; ++i)
    largest = fmaxf(largest, x.of[i]);
  const float maximum = fmaxf(online.maximum, largest), offset = maximum * kLog2E;
  float sum = online.sum * exp2_fast((online.maximum - maximum) * kLog2E);
#pragma unroll
  for (int i = 0; i < kPerVector; ++i)
    sum += exp2_fast(fmaf(x.of[i], kLog2E, -offset));
  online = {maximum, sum};
}

__device__ Online merged(const Online& a, const Online& b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  return {maximum, a.sum * exp2_fast((a.maximum - maximum) * kLog2E) +
                       b.sum * exp2_fast((b.maximum - maximum) * kLog2E)};
}

__device__ Online merged_in_warp(Online mine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    mine = merged(mine, {__shfl_xor_sync(0xffffffff, mine.maximum, step),
                         __shfl_xor_sync(0xffffffff, mine.sum, step)});
  return mine;
}

__global__ void __launch_bounds__(kThreads)
    cross_entropy_block_per_row(const uint4* logits, const int64_t* targets, float* loss,
                                int vectors) {
  __shared__ Online parts[kWarps];
  const uint4* row = logits + static_cast<int64_t>(blockIdx.x) * vectors;  // [vectors]
  Online mine = nothing();
  int v = threadIdx.x;
  for (; v + (kInFlight - 1) * kThreads < vectors; v += kInFlight * kThreads) {
    uint4 loaded[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k)
      loaded[k] = __ldcs(&row[v + k * kThreads]);
#pragma unroll
    for (int k = 0; k < kInFlight; ++k)
      add(mine, unpacked(loaded[k]));
  }
  for (; v < vectors; v += kThreads)
    add(mine, unpacked(__ldcs(&row[v])));
  mine = merged_in_warp(mine);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  mine = merged_in_warp(threadIdx.x < kWarps ? parts[threadIdx.x] : nothing());
  if (threadIdx.x > 0) return;
  const auto* elements = reinterpret_cast<const __nv_bfloat16*>(row);
  loss[blockIdx.x] =
      mine.maximum - __bfloat162float(elements[targets[blockIdx.x]]) + kLn2 * __log2f(mine.sum);
}

}  // namespace

extern "C" void cross_entropy(const __nv_bfloat16* logits, const int64_t* targets, float* loss,
                              int rows, int vocabulary, cudaStream_t stream) {
  cross_entropy_block_per_row<<<rows, kThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(logits), targets, loss, vocabulary / kPerVector);
}
