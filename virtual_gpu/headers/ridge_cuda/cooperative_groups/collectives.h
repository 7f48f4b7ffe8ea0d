// Reductions and scans of a group of lanes.
#pragma once

namespace cooperative_groups {

#define RIDGE_CG_OPERATION(name, expression)                                \
  template <class T>                                                        \
  struct name {                                                             \
    __host__ __device__ T operator()(T a, T b) const { return expression; } \
  };
RIDGE_CG_OPERATION(plus, a + b)
RIDGE_CG_OPERATION(less, b < a ? b : a)
RIDGE_CG_OPERATION(greater, a < b ? b : a)
RIDGE_CG_OPERATION(bit_and, a& b)
RIDGE_CG_OPERATION(bit_or, a | b)
RIDGE_CG_OPERATION(bit_xor, a ^ b)
#undef RIDGE_CG_OPERATION

// In steps of doubling distance; every member gets the result.
template <class Group, class T, class Operation>
__device__ T reduce(const Group& group, T value, Operation operation) {
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned apart = 1; apart < size; apart *= 2) {
    const T other = group.shfl_down(value, apart);
    if (rank + apart < size) value = operation(value, other);
  }
  return group.shfl(value, 0);
}
// A tile is full: all its lanes exchange in each step, and all have the result after the last.
template <unsigned kSize, class Parent, class T, class Operation>
__device__ T reduce(const thread_block_tile<kSize, Parent>& tile, T value, Operation operation) {
#pragma unroll
  for (unsigned apart = kSize / 2; apart > 0; apart /= 2)
    value = operation(value, tile.shfl_xor(value, apart));
  return value;
}
template <class Group, class T, class Operation>
__device__ T inclusive_scan(const Group& group, T value, Operation operation) {
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned apart = 1; apart < size; apart *= 2) {
    const T other = group.shfl_up(value, apart);
    if (rank >= apart) value = operation(other, value);
  }
  return value;
}
template <class Group, class T>
__device__ T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operation>
__device__ T exclusive_scan(const Group& group, T value, Operation operation) {
  const T up = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T{} : up;
}
template <class Group, class T>
__device__ T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
