// What CUB and thrust do in place or in parts of a warp, where the order of reads and writes is theirs to know.
#include <thrust/device_vector.h>
#include <thrust/merge.h>
#include <thrust/remove.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <cub/warp/warp_merge_sort.cuh>

#include "check.h"

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return value & 1; }
};
struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

// Each four lanes sort 28 values of their own.
__global__ void sort_in_fours(int* values) {
  constexpr int kLanes = 4, kEach = 7;
  using Sort = cub::WarpMergeSort<int, kEach, kLanes>;
  __shared__ typename Sort::TempStorage storage[32 / kLanes];
  int mine[kEach];
  for (int i = 0; i < kEach; ++i) mine[i] = values[threadIdx.x * kEach + i];
  Sort(storage[threadIdx.x / kLanes]).Sort(mine, Less());
  for (int i = 0; i < kEach; ++i) values[threadIdx.x * kEach + i] = mine[i];
}

int main() {
  constexpr int kCount = 50000;
  thrust::device_vector<int> numbers(kCount);
  thrust::sequence(numbers.begin(), numbers.end());

  thrust::device_vector<int> distinct = numbers;  // nothing to drop: every block writes what it read
  std::printf("all distinct: %d\n", static_cast<int>(thrust::unique(distinct.begin(), distinct.end()) - distinct.begin()));
  for (int i = 0; i < 100; ++i) distinct[i * 400 + 1] = i * 400;
  std::printf("100 twice: %d\n", static_cast<int>(thrust::unique(distinct.begin(), distinct.end()) - distinct.begin()));

  thrust::device_vector<int> even = numbers;
  const auto end = thrust::remove_if(even.begin(), even.end(), IsOdd());
  std::printf("even: %d, the last %d\n", static_cast<int>(end - even.begin()), static_cast<int>(*(end - 1)));

  thrust::device_vector<int> both(2 * kCount);
  thrust::merge(numbers.begin(), numbers.end(), even.begin(), end, both.begin());
  std::printf("merged: %d %d %d\n", static_cast<int>(both[0]), static_cast<int>(both[1]), static_cast<int>(both[3]));

  thrust::device_vector<int> fours(32 * 7);
  for (int i = 0; i < 32 * 7; ++i) fours[i] = i * 37 % 224;
  sort_in_fours<<<1, 32>>>(thrust::raw_pointer_cast(fours.data()));
  finish("sort_in_fours");
  int ordered = 0;
  for (int i = 0; i < 8; ++i) ordered += thrust::is_sorted(fours.begin() + i * 28, fours.begin() + (i + 1) * 28);
  std::printf("sorted runs: %d\n", ordered);
}
