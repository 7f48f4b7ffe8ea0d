// CUB: device-wide reduction, scan and radix sort, and the block's and warp's own.
#include <algorithm>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <numeric>
#include <vector>

#include "check.h"

template <typename Call>
void with_storage(Call call) {
  size_t bytes = 0;
  check(call(nullptr, bytes), "size");
  void* storage = device_array<char>(bytes);
  check(call(storage, bytes), "call");
  finish("call");
}

constexpr int kThreads = 128, kEach = 4;

__global__ void in_block(const int* in, int* sorted, int* scanned, int* totals) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Sort = cub::BlockRadixSort<int, kThreads, kEach>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename Warp::TempStorage warp[kThreads / 32];
  } storage;
  int values[kEach], base = blockIdx.x * kThreads * kEach + threadIdx.x * kEach, own = 0;
  for (int i = 0; i < kEach; ++i)
    own += values[i] = in[base + i];
  int total = Reduce(storage.reduce).Sum(own);
  __syncthreads();
  int sums[kEach];
  Scan(storage.scan).ExclusiveSum(values, sums);
  __syncthreads();
  int largest = Warp(storage.warp[threadIdx.x / 32]).Reduce(own, [](int a, int b) { return a > b ? a : b; });
  __syncthreads();
  Sort(storage.sort).Sort(values);
  for (int i = 0; i < kEach; ++i) {
    sorted[base + i] = values[i];
    scanned[base + i] = sums[i];
  }
  if (threadIdx.x == 0) totals[2 * blockIdx.x] = total;
  if (threadIdx.x == 0) totals[2 * blockIdx.x + 1] = largest;
}

int main() {
  constexpr int n = 20000;
  std::vector<int> in(n), got(n), expected(n);
  for (int i = 0; i < n; ++i)
    in[i] = static_cast<int>(i * 2654435761u >> 12) - (1 << 19);
  int *a = device_array<int>(n), *b = device_array<int>(n), *sum = device_array<int>(2);
  to_device(a, in.data(), n);
  with_storage(
      [&](void* storage, size_t& bytes) { return cub::DeviceReduce::Sum(storage, bytes, a, sum, n); });
  with_storage(
      [&](void* storage, size_t& bytes) { return cub::DeviceReduce::Max(storage, bytes, a, sum + 1, n); });
  int results[2];
  to_host(results, sum, 2);
  printf("reduce %d %d, %s\n", results[0], results[1],
         results[0] == std::accumulate(in.begin(), in.end(), 0) &&
                 results[1] == *std::max_element(in.begin(), in.end())
             ? "right"
             : "WRONG");
  with_storage(
      [&](void* storage, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(storage, bytes, a, b, n); });
  to_host(got.data(), b, n);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
  printf("scan %d\n", got == expected);
  with_storage(
      [&](void* storage, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(storage, bytes, a, b, n); });
  to_host(got.data(), b, n);
  expected = in;
  std::sort(expected.begin(), expected.end());
  printf("sort %d, least %d\n", got == expected, got[0]);

  constexpr int per_block = kThreads * kEach, blocks = n / per_block;
  int *scanned = device_array<int>(n), *totals = device_array<int>(2 * blocks);
  in_block<<<blocks, kThreads>>>(a, b, scanned, totals);
  finish("in_block");
  std::vector<int> sorted(n), sums(n), both(2 * blocks);
  to_host(sorted.data(), b, n);
  to_host(sums.data(), scanned, n);
  to_host(both.data(), totals, 2 * blocks);
  int wrong = 0;
  for (int block = 0; block < blocks; ++block) {
    auto begin = in.begin() + block * per_block, end = begin + per_block;
    std::vector<int> own(begin, end), prefix(per_block);
    std::exclusive_scan(own.begin(), own.end(), prefix.begin(), 0);
    wrong += both[2 * block] != std::accumulate(begin, end, 0);
    int largest = -2147483647;
    for (int t = 0; t < 32; ++t)
      largest = std::max(largest, std::accumulate(begin + t * kEach, begin + (t + 1) * kEach, 0));
    wrong += both[2 * block + 1] != largest;
    wrong += !std::equal(prefix.begin(), prefix.end(), sums.begin() + block * per_block);
    std::sort(own.begin(), own.end());
    wrong += !std::equal(own.begin(), own.end(), sorted.begin() + block * per_block);
  }
  printf("in blocks: wrong %d of %d\n", wrong, blocks);
}
