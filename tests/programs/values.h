// Inputs that differ by element, and results printed as hashes and bits: what a GPU printed must come
// out to the last bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// Ends the program with the line of the call if it failed.
inline void must(cudaError_t error, int line = __builtin_LINE()) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorName(error));
  std::exit(1);
}

// A number of the sequence that begins with `seed` (the finaliser of a 64-bit mixing function).
inline uint32_t number_at(uint64_t index, uint64_t seed = 1) {
  uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ull + seed * 0xd1b54a32d192ed03ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<uint32_t>((x ^ (x >> 31)) >> 16);
}
// In [-1, 1), a multiple of 2^-15.
inline float real_at(uint64_t index, uint64_t seed = 1) {
  return static_cast<float>(number_at(index, seed) % 65536) / 32768.f - 1.f;
}

template <typename T>
T* device_copy(const std::vector<T>& values) {
  T* memory = nullptr;
  must(cudaMalloc(&memory, values.size() * sizeof(T)));
  must(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}
template <typename T>
T* device_zeros(size_t count) {
  T* memory = nullptr;
  must(cudaMalloc(&memory, count * sizeof(T)));
  must(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}
template <typename T, typename ValueOf>
T* device_values(size_t count, ValueOf value_of) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(value_of(i));
  return device_copy(values);
}
template <typename T>
std::vector<T> host_copy(const T* memory, size_t count) {
  std::vector<T> values(count);
  must(cudaDeviceSynchronize());
  must(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// FNV-1a.
inline uint64_t hash_of(const void* bytes, size_t count) {
  uint64_t hash = 14695981039346656037ull;
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211ull;
  return hash;
}
template <typename T>
void print_bits(const std::vector<T>& values, size_t count) {
  for (size_t i = 0; i < values.size() && i < count; ++i) {
    unsigned long long bits = 0;
    std::memcpy(&bits, &values[i], sizeof(T) < 8 ? sizeof(T) : 8);
    std::printf(" %llx", bits);
  }
  std::printf("\n");
}
// The hash of an array and its first four elements.
template <typename T>
void print_hash(const char* name, const T* memory, size_t count) {
  const auto values = host_copy(memory, count);
  std::printf("%s %016llx", name,
              static_cast<unsigned long long>(hash_of(values.data(), count * sizeof(T))));
  print_bits(values, 4);
}
template <typename T>
void print_all(const char* name, const T* memory, size_t count) {
  std::printf("%s", name);
  print_bits(host_copy(memory, count), count);
}
// The sum of the magnitudes and the largest, to four digits: for approximate functions.
template <typename T>
void print_about(const char* name, const T* memory, size_t count) {
  double sum = 0, largest = 0;
  for (const T value : host_copy(memory, count)) {
    sum += std::fabs(static_cast<double>(value));
    largest = std::fmax(largest, std::fabs(static_cast<double>(value)));
  }
  std::printf("%s sum %.4g max %.4g\n", name, sum, largest);
}
