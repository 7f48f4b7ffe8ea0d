// The passes of a stable radix sort, four bits each, and the bits by which keys are ordered.
#pragma once

#include <cstdint>

#include "cub/detail/one_block.cuh"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace cub::detail {

struct NoValue {};

template <size_t kBytes>
struct BitsOfSize;
template <>
struct BitsOfSize<1> {
  using Type = uint8_t;
};
template <>
struct BitsOfSize<2> {
  using Type = uint16_t;
};
template <>
struct BitsOfSize<4> {
  using Type = uint32_t;
};
template <>
struct BitsOfSize<8> {
  using Type = uint64_t;
};

// An unsigned number that is ordered as the key is. -0.0 and 0.0 are equal.
template <class Key>
__device__ auto ordered_bits(Key key) {
  using Bits = typename BitsOfSize<sizeof(Key)>::Type;
  constexpr bool kIsFloat = std::is_floating_point_v<Key> || std::is_same_v<Key, __half> ||
                            std::is_same_v<Key, __nv_bfloat16>;
  static_assert(kIsFloat || std::is_integral_v<Key>, "a key is an integer or a float");
  constexpr Bits kSign = static_cast<Bits>(Bits(1) << (sizeof(Key) * 8 - 1));
  Bits bits = __builtin_bit_cast(Bits, key);
  if constexpr (kIsFloat) {
    if (bits == kSign) bits = 0;
    return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
  } else {
    return static_cast<Bits>(std::is_signed_v<Key> ? bits ^ kSign : bits);
  }
}

constexpr int kBitsOfPass = 4, kDigits = 1 << kBitsOfPass;

// One pass, by the `count` bits from `bit` on, at most four.
template <class Key, class Value>
__global__ __launch_bounds__(kThreads) void sort_by_digit(const Key* keys, Key* sorted,
                                                          const Value* values, Value* sorted_values,
                                                          long long n, int bit, int count,
                                                          bool descending) {
  __shared__ long long places[kDigits][kThreads];  // in the end: where a thread's next item goes
  __shared__ long long starts[kDigits];
  const Chunk chunk = own_chunk(n);
  const int thread = static_cast<int>(threadIdx.x);
  const auto digit_of = [&](long long i) {
    const unsigned mask = (1u << count) - 1;
    const unsigned digit = static_cast<unsigned>(ordered_bits(keys[i]) >> bit) & mask;
    return descending ? digit ^ mask : digit;
  };
  for (int digit = 0; digit < kDigits; ++digit)
    places[digit][thread] = 0;
  for (long long i = chunk.begin; i < chunk.end; ++i)
    ++places[digit_of(i)][thread];
  __syncthreads();
  if (thread < kDigits) {
    long long sum = 0;
    for (int i = 0; i < kThreads; ++i) {
      const long long own = places[thread][i];
      places[thread][i] = sum;
      sum += own;
    }
    starts[thread] = sum;
  }
  __syncthreads();
  if (thread == 0) {
    long long sum = 0;
    for (int digit = 0; digit < kDigits; ++digit) {
      const long long own = starts[digit];
      starts[digit] = sum;
      sum += own;
    }
  }
  __syncthreads();
  for (long long i = chunk.begin; i < chunk.end; ++i) {
    const unsigned digit = digit_of(i);
    const long long place = starts[digit] + places[digit][thread]++;
    sorted[place] = keys[i];
    if constexpr (!std::is_same_v<Value, NoValue>) sorted_values[place] = values[i];
  }
}

// The input stays as it is. Passes write to the output and to the storage in turn, the last one to
// the output.
template <class Key, class Value>
cudaError_t radix_sort(void* storage, size_t& bytes, const Key* keys, Key* sorted,
                       const Value* values, Value* sorted_values, long long n, int begin_bit,
                       int end_bit, bool descending, cudaStream_t stream) {
  constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
  Storage arrays(storage, bytes);
  Key* const other = arrays.array<Key>(n);
  Value* const other_values = kHasValues ? arrays.array<Value>(n) : nullptr;
  cudaError_t status;
  if (arrays.ends_call(status) || n == 0) return status;
  // Without bits one pass copies.
  const int wanted = (end_bit - begin_bit + kBitsOfPass - 1) / kBitsOfPass;
  const int passes = wanted > 0 ? wanted : 1;
  for (int pass = 0; pass < passes; ++pass) {
    const bool is_to_output = (passes - pass) % 2 == 1;
    Key* const to = is_to_output ? sorted : other;
    Value* const to_values = is_to_output ? sorted_values : other_values;
    const int bit = begin_bit + pass * kBitsOfPass;
    const int count = end_bit - bit < kBitsOfPass ? end_bit - bit : kBitsOfPass;
    sort_by_digit<<<1, kThreads, 0, stream>>>(keys, to, values, to_values, n, count > 0 ? bit : 0,
                                              count > 0 ? count : 0, descending);
    keys = to;
    values = to_values;
  }
  return cudaPeekAtLastError();
}

}  // namespace cub::detail
