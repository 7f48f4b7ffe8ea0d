// Lookups sorted by the row that they name, as rung 6 needs them: a radix sort with digits of 9
// bits. It is stable: lookups of one row keep their order, so the result is the same in every call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// Lookup number `lookup` names row `row`. Padding sorts with row 0 and has the number kPadding.
struct Entry {
  uint32_t lookup, row;
};
constexpr uint32_t kPadding = 0xffffffff;

constexpr int kMostLookups = 1 << 20;
constexpr int kSortThreads = 512, kSortWarps = kSortThreads / 32;
constexpr int kDigitBits = 9, kDigits = 1 << kDigitBits;           // one digit per thread
constexpr int kPerLane = 8, kSortTile = kSortThreads * kPerLane;  // 4096 entries per block
constexpr int kMostSortTiles = kMostLookups / kSortTile;

__device__ Entry sort_room[2][kMostLookups];
__device__ uint32_t digit_counts[kMostSortTiles][kDigits];

// The first pass reads the indices, the others what the pass before wrote.
__device__ inline Entry entry_at(const int64_t* indices, const Entry* from, int i) {
  if (!indices) return from[i];
  const int64_t row = indices[i];
  return row < 0 ? Entry{kPadding, 0} : Entry{static_cast<uint32_t>(i), static_cast<uint32_t>(row)};
}

__global__ void __launch_bounds__(kSortThreads)
    count_digits(const int64_t* indices, const Entry* from, int lookups, int shift) {
  __shared__ uint32_t counts[kDigits];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int begin = blockIdx.x * kSortTile;
  uint32_t rows[kPerLane];  // all loads are under way before the first addition
#pragma unroll
  for (int s = 0; s < kPerLane; ++s) {
    const int i = begin + kSortThreads * s + threadIdx.x;
    if (i < lookups) rows[s] = entry_at(indices, from, i).row;
  }
#pragma unroll
  for (int s = 0; s < kPerLane; ++s)
    if (begin + kSortThreads * s + threadIdx.x < lookups)
      atomicAdd(&counts[rows[s] >> shift & (kDigits - 1)], 1);
  __syncthreads();
  digit_counts[blockIdx.x][threadIdx.x] = counts[threadIdx.x];
}

// What the threads before this one have together. Uses `room`, one word per warp.
__device__ inline uint32_t sum_before(uint32_t own, uint32_t* room) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t until = own;  // of the warp, this lane included
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(0xffffffff, until, d);
    if (lane >= d) until += before;
  }
  if (lane == 31) room[warp] = until;
  __syncthreads();
  uint32_t warps_before = 0;
  for (int w = 0; w < warp; ++w)
    warps_before += room[w];
  return warps_before + until - own;
}

__global__ void __launch_bounds__(kSortThreads)
    scatter_by_digit(const int64_t* indices, const Entry* from, Entry* to, int lookups, int shift) {
  __shared__ uint32_t places[kSortWarps][kDigits];  // first counts, then the next free place
  __shared__ uint32_t room[kSortWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int w = 0; w < kSortWarps; ++w)
    places[w][threadIdx.x] = 0;
  // Thread d works for digit d: how many entries have it, in all tiles and in those before.
  uint32_t in_all = 0, in_tiles_before = 0;
#pragma unroll 32
  for (int tile = 0; tile < gridDim.x; ++tile) {
    const uint32_t count = digit_counts[tile][threadIdx.x];
    in_all += count;
    if (tile < blockIdx.x) in_tiles_before += count;
  }
  uint32_t place = sum_before(in_all, room) + in_tiles_before;
  __syncthreads();
  // A warp has 256 neighbouring entries; in each step a lane learns how many before it share its
  // digit.
  const int begin = blockIdx.x * kSortTile + warp * 32 * kPerLane;
  Entry entries[kPerLane];
  uint32_t ranks[kPerLane];  // among the warp's entries of the same digit
#pragma unroll
  for (int s = 0; s < kPerLane; ++s)
    if (begin + 32 * s + lane < lookups)
      entries[s] = entry_at(indices, from, begin + 32 * s + lane);
#pragma unroll
  for (int s = 0; s < kPerLane; ++s) {
    const int i = begin + 32 * s + lane;
    const unsigned there = __ballot_sync(0xffffffff, i < lookups);
    if (i < lookups) {
      const uint32_t digit = entries[s].row >> shift & (kDigits - 1);
      uint32_t& next = places[warp][digit];
      const unsigned same = __match_any_sync(there, digit), before = same & ((1u << lane) - 1);
      ranks[s] = next + __popc(before);
      __syncwarp(there);
      if (before == 0) next += __popc(same);
    }
    __syncwarp();
  }
  __syncthreads();
  for (int w = 0; w < kSortWarps; ++w) {  // counts of digit d become places, warp after warp
    const uint32_t count = places[w][threadIdx.x];
    places[w][threadIdx.x] = place;
    place += count;
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kPerLane; ++s)
    if (begin + 32 * s + lane < lookups)
      to[places[warp][entries[s].row >> shift & (kDigits - 1)] + ranks[s]] = entries[s];
}

// The entries of all lookups in the order of their rows: a device pointer, valid until the next
// call.
inline const Entry* sort_by_row(const int64_t* indices, int rows, int lookups,
                                cudaStream_t stream) {
  Entry* room = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&room), sort_room);
  const int tiles = (lookups + kSortTile - 1) / kSortTile;
  const Entry* from = nullptr;
  for (int shift = 0; shift == 0 || ((rows - 1) >> shift) > 0; shift += kDigitBits) {
    Entry* to = from == room ? room + kMostLookups : room;
    const int64_t* first = shift == 0 ? indices : nullptr;
    count_digits<<<tiles, kSortThreads, 0, stream>>>(first, from, lookups, shift);
    scatter_by_digit<<<tiles, kSortThreads, 0, stream>>>(first, from, to, lookups, shift);
    from = to;
  }
  return from;
}
