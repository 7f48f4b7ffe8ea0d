// How rungs 3 and 5 of lab 11 cut n floats: into a part per rank, and each part into a slice per
// block. Every slice begins at a multiple of 32 floats, a line of 128 bytes.
#pragma once

#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kMostBlocks = 128;  // with 14 signals for each (8 ranks), they fit into kSignals
constexpr int kLine = 32;         // floats

__host__ __device__ inline int in_lines(int floats) {
  return (floats + kLine - 1) / kLine * kLine;
}
__host__ __device__ inline int part_length(int count, int n) {
  return in_lines((n - 1) / count + 1);
}

// A block for every 16 bytes per thread of a part, up to kMostBlocks.
inline int blocks_for(int count, int n) {
  const int blocks = (part_length(count, n) - 1) / (4 * kThreads) + 1;
  return blocks < kMostBlocks ? blocks : kMostBlocks;
}

struct Slice {
  int first = 0, length = 0;  // floats; the last slices may be empty
};

// What this block has of a part.
__device__ inline Slice slice_of(int part, int count, int n) {
  const int whole = part_length(count, n);
  const int slice = in_lines((whole - 1) / gridDim.x + 1);
  const long long begin = static_cast<long long>(part) * whole;
  const long long first = begin + static_cast<long long>(blockIdx.x) * slice;
  const long long part_end = begin + whole < n ? begin + whole : n;
  const long long end = first + slice < part_end ? first + slice : part_end;
  return first < end ? Slice{static_cast<int>(first), static_cast<int>(end - first)} : Slice{};
}

// The Vector (float or float4) with index i in an array of floats.
template <typename Vector>
__device__ inline const Vector& at(const float* array, int i) {
  return reinterpret_cast<const Vector*>(array)[i];
}
template <typename Vector>
__device__ inline Vector& at(float* array, int i) {
  return reinterpret_cast<Vector*>(array)[i];
}

// Calls work(i, float4{}) for the whole float4s of n floats, and work(i, float{}) for the floats
// behind them; each once, by the threads of the block.
template <typename Work>
__device__ inline void for_each_vector(int n, Work&& work) {
  for (int i = threadIdx.x; i < n / 4; i += kThreads)
    work(i, float4{});
  if (const int i = n / 4 * 4 + static_cast<int>(threadIdx.x); i < n) work(i, float{});
}
