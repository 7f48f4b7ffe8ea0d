// Thrust: an iterator over the integers from a first one on, which often is an input of CUB's. The
// other parts of Thrust are not here.
#pragma once

#include <cstddef>
#include <iterator>

#include "cuda_runtime.h"

namespace thrust {

template <class T>
class counting_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;

  counting_iterator() = default;
  __host__ __device__ explicit counting_iterator(T value) : value_(value) {}

  __host__ __device__ T operator*() const { return value_; }
  __host__ __device__ T operator[](difference_type i) const { return *(*this + i); }
  __host__ __device__ counting_iterator& operator+=(difference_type count) {
    value_ = static_cast<T>(value_ + count);
    return *this;
  }
  __host__ __device__ counting_iterator& operator-=(difference_type count) {
    return *this += -count;
  }
  __host__ __device__ counting_iterator& operator++() { return *this += 1; }
  __host__ __device__ counting_iterator& operator--() { return *this += -1; }
  __host__ __device__ counting_iterator operator++(int) {
    const counting_iterator old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ counting_iterator operator--(int) {
    const counting_iterator old = *this;
    --*this;
    return old;
  }

  friend __host__ __device__ counting_iterator operator+(counting_iterator at,
                                                         difference_type count) {
    return at += count;
  }
  friend __host__ __device__ counting_iterator operator+(difference_type count,
                                                         counting_iterator at) {
    return at += count;
  }
  friend __host__ __device__ counting_iterator operator-(counting_iterator at,
                                                         difference_type count) {
    return at -= count;
  }
  friend __host__ __device__ difference_type operator-(counting_iterator a, counting_iterator b) {
    return static_cast<difference_type>(a.value_) - static_cast<difference_type>(b.value_);
  }
  friend __host__ __device__ bool operator==(counting_iterator a, counting_iterator b) {
    return a.value_ == b.value_;
  }
  friend __host__ __device__ bool operator!=(counting_iterator a, counting_iterator b) {
    return !(a == b);
  }
  friend __host__ __device__ bool operator<(counting_iterator a, counting_iterator b) {
    return a.value_ < b.value_;
  }

 private:
  T value_ = {};
};

template <class T>
__host__ __device__ counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}

}  // namespace thrust
