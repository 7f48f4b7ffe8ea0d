// What the device-wide algorithms share: each is the work of one block, whose threads have one chunk
// of the items each.
#pragma once

#include <iterator>
#include <type_traits>

#include "cuda_runtime.h"

namespace cub::detail {

constexpr int kThreads = 256;

// Overloads in place and others are told apart by the argument that is the number of items.
template <class N>
using IfCount = std::enable_if_t<std::is_integral_v<N>, int>;

template <class Iterator>
using ValueOf = typename std::iterator_traits<Iterator>::value_type;

// An output iterator may have no value type.
template <class Iterator, class Else>
using ValueOr = std::conditional_t<std::is_void_v<ValueOf<Iterator>>, Else, ValueOf<Iterator>>;

// What an operator makes of the initial value and the items.
template <class Op, class Item, class Init>
using Sum = std::decay_t<std::invoke_result_t<Op, Item, Init>>;

struct Plus {
  template <class A, class B>
  __host__ __device__ auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

// The items of one thread: [begin, end).
struct Chunk {
  long long begin, end;
  __device__ bool empty() const { return begin >= end; }
};

inline __device__ long long items_per_chunk(long long n) {
  return (n + kThreads - 1) / kThreads;
}

inline __device__ Chunk own_chunk(long long n) {
  const long long size = items_per_chunk(n), begin = size * threadIdx.x;
  return {begin, begin + size < n ? begin + size : n};
}

// The number of chunks that are not empty; they come first.
inline __device__ int chunks_in(long long n) {
  const long long size = items_per_chunk(n);
  return n == 0 ? 0 : static_cast<int>((n + size - 1) / size);
}

// Arrays in the temporary storage, each aligned to 256 bytes.
class Storage {
 public:
  // Null storage: sizes are added up only.
  Storage(void* storage, size_t& bytes) : bytes_(bytes), is_query_(storage == nullptr) {
    const size_t address = reinterpret_cast<size_t>(storage);
    next_ = is_query_ ? nullptr : static_cast<char*>(storage) + (aligned(address) - address);
  }

  template <class T>
  T* array(long long count) {
    T* const result = reinterpret_cast<T*>(next_);
    const size_t size = aligned(static_cast<size_t>(count) * sizeof(T));
    needed_ += size;
    if (!is_query_) next_ += size;
    return result;
  }

  // After all arrays: true if nothing is to be launched, as the size was asked for or is too small.
  // The call then returns `status`.
  bool ends_call(cudaError_t& status) {
    status = cudaSuccess;
    if (is_query_) bytes_ = needed_;
    if (!is_query_ && bytes_ < needed_) status = cudaErrorInvalidValue;
    return is_query_ || status != cudaSuccess;
  }

 private:
  static constexpr size_t kAlignment = 256;
  static size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  size_t& bytes_;
  bool is_query_;
  char* next_;
  size_t needed_ = kAlignment;  // the storage itself may be aligned to less
};

}  // namespace cub::detail
