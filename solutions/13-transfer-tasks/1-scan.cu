// out[i] = in[0] + ... + in[i]: an inclusive prefix sum of n floats.
//
// Each element should be read once and written once. A transfer task: no parts are given. The
// statement, the sizes and the limits are in transfer.h; scratch.h has memory for intermediate
// results. The grade is your speed in percent of CUB's DeviceScan.
//
//     ./ridge grade 13-transfer-tasks/1-scan
//
// Hypothesis: a tile's prefix is known as soon as its predecessors' sums are, so one kernel that
// reads and writes each element once reaches the bandwidth of a copy.
// What changed: this is a task of its own. Tiles publish their sum, then their prefix, and look
// back over what earlier tiles have published ("decoupled look-back", Merrill and Garland, 2016).
// What that bought: one pass, with 32 elements per thread and 16,384 per tile, the best of trials
// in course/measured/nvidia-h100/trials/transfer-trials.md.
// Measured on an H200: 98.9% of CUB (course/measured/nvidia-h200).
#include <cstdint>

#include "scratch.h"
#include "transfer.h"

namespace {

constexpr unsigned kAll = 0xffffffff;  // all lanes of a warp
constexpr int kThreads = 512, kWarps = kThreads / 32;
constexpr int kVectors = 8;                  // float4 per thread
constexpr int kPerWarp = kVectors * 32 * 4;  // elements
constexpr int kTile = kWarps * kPerWarp;     // elements per block

// What a tile has published, in one word: the upper half says what the lower half, a float, is.
// One store of 8 bytes makes both visible at once, so no fence is needed.
constexpr uint32_t kNothing = 0, kSum = 1, kPrefix = 2;

__device__ uint64_t word_of(uint32_t kind, float value) {
  return static_cast<uint64_t>(kind) << 32 | __float_as_uint(value);
}
__device__ uint32_t kind_of(uint64_t word) {
  return static_cast<uint32_t>(word >> 32);
}
__device__ float value_of(uint64_t word) {
  return __uint_as_float(static_cast<uint32_t>(word));
}

__device__ float sum_until_lane(float own) {  // of lanes 0 to this one
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(kAll, own, d);
    if (lane >= d) own += before;
  }
  return own;
}

// The sum of all tiles before `tile`. Called by one warp; each lane looks at one earlier tile.
__device__ float sum_before_tile(int tile, const volatile uint64_t* published) {
  const int lane = threadIdx.x % 32;
  float before = 0;
  for (int newest = tile - 1; newest >= 0; newest -= 32) {
    const int looked_at = newest - lane;  // lane 0: the nearest
    uint64_t word;
    do {
      word = looked_at >= 0 ? published[looked_at] : word_of(kPrefix, 0);
    } while (__any_sync(kAll, kind_of(word) == kNothing));
    const unsigned prefixes = __ballot_sync(kAll, kind_of(word) == kPrefix);
    const int last = prefixes ? __ffs(prefixes) - 1 : 31;  // nothing before it is needed
    float part = lane <= last ? value_of(word) : 0;
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
      part += __shfl_xor_sync(kAll, part, d);
    before += part;
    if (prefixes) break;
  }
  return before;
}

__global__ void __launch_bounds__(kThreads, 2)
    scan_tiles(const float* in, float* out, int n, volatile uint64_t* published, int* next_tile) {
  __shared__ float of_warps[kWarps];  // first sums, then what precedes each warp
  __shared__ int drawn;
  // Tiles are numbered in the order in which blocks start, so all earlier tiles have a running or
  // finished block: waiting for them ends.
  if (threadIdx.x == 0) drawn = atomicAdd(next_tile, 1);
  __syncthreads();
  const int tile = drawn, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t begin = static_cast<int64_t>(tile) * kTile + warp * kPerWarp + 4 * lane;
  const bool whole = (static_cast<int64_t>(tile) + 1) * kTile <= n;

  float x[kVectors][4];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int64_t at = begin + 128 * v;
    if (whole) {
      const float4 four = __ldcs(reinterpret_cast<const float4*>(in + at));
      x[v][0] = four.x, x[v][1] = four.y, x[v][2] = four.z, x[v][3] = four.w;
    } else {
      for (int e = 0; e < 4; ++e)
        x[v][e] = at + e < n ? in[at + e] : 0;
    }
  }
  float before_vector[kVectors];  // what this warp has before the vector
  float of_warp = 0;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    for (int e = 1; e < 4; ++e)
      x[v][e] += x[v][e - 1];
    const float until = sum_until_lane(x[v][3]);
    const float before = __shfl_up_sync(kAll, until, 1);
    before_vector[v] = of_warp + (lane > 0 ? before : 0);
    of_warp += __shfl_sync(kAll, until, 31);
  }
  if (lane == 0) of_warps[warp] = of_warp;
  __syncthreads();
  if (warp == 0) {
    const float own = lane < kWarps ? of_warps[lane] : 0;
    const float until = sum_until_lane(own);
    const float of_tile = __shfl_sync(kAll, until, 31);
    if (lane == 0) published[tile] = word_of(tile == 0 ? kPrefix : kSum, of_tile);
    const float before = sum_before_tile(tile, published);
    if (lane == 0 && tile > 0) published[tile] = word_of(kPrefix, before + of_tile);
    const float before_warp = __shfl_up_sync(kAll, until, 1);
    if (lane < kWarps) of_warps[lane] = before + (lane > 0 ? before_warp : 0);
  }
  __syncthreads();
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const float before = of_warps[warp] + before_vector[v];
    const int64_t at = begin + 128 * v;
    if (whole) {
      __stcs(reinterpret_cast<float4*>(out + at),
             make_float4(before + x[v][0], before + x[v][1], before + x[v][2], before + x[v][3]));
    } else {
      for (int e = 0; e < 4; ++e)
        if (at + e < n) out[at + e] = before + x[v][e];
    }
  }
}

}  // namespace

extern "C" void scan(const float* in, float* out, int n, cudaStream_t stream) {
  const int tiles = (n + kTile - 1) / kTile;
  const size_t bytes = (static_cast<size_t>(tiles) + 1) * sizeof(uint64_t);
  auto* published = static_cast<uint64_t*>(scratch(bytes));  // [tiles], then next_tile
  cudaMemsetAsync(published, 0, bytes, stream);              // kNothing
  scan_tiles<<<tiles, kThreads, 0, stream>>>(in, out, n, published,
                                             reinterpret_cast<int*>(published + tiles));
}
