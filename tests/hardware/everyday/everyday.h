// What the everyday kernels share: inputs that differ by element, and the index of a thread.
//
// These kernels are written as textbooks and benchmark suites write them, and no part of the virtual GPU was adjusted
// while they were written: they are the sample that the counts are judged by (docs/counters.md).
#pragma once

#include <cstdint>

#include "../counters/micro_kernel.h"

__device__ inline int global_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// A number of the sequence that begins with `seed` (the finaliser of a 64-bit mixing function): the same everywhere.
inline uint32_t number_at(uint64_t index, uint64_t seed = 1) {
  uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ull + seed * 0xd1b54a32d192ed03ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<uint32_t>((x ^ (x >> 31)) >> 16);
}

template <typename T>
T* device_copy(const std::vector<T>& values) {
  T* memory = device_array<T>(values.size());
  require(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

// count values of value_of(index).
template <typename T, typename ValueOf>
T* device_values(size_t count, ValueOf value_of) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(value_of(i));
  return device_copy(values);
}

// count integers below `limit`.
template <typename T = int>
T* random_integers(size_t count, uint32_t limit, uint64_t seed = 1) {
  return device_values<T>(count, [=](size_t i) { return number_at(i, seed) % limit; });
}

// count numbers in [-1, 1).
template <typename T = float>
T* random_reals(size_t count, uint64_t seed = 1) {
  return device_values<T>(count, [=](size_t i) {
    return static_cast<float>(number_at(i, seed) % 65536) / 32768.0f - 1.0f;
  });
}
