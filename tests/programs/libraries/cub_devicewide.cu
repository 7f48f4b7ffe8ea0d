// CUB: device-wide algorithms.
#include <cub/cub.cuh>
#include <cuda/std/tuple>

#include "values.h"
template <class F>
void twice(F f) {
  void* t = nullptr;
  size_t b = 0;
  must(f(t, b));
  must(cudaMalloc(&t, b));
  must(f(t, b));
  must(cudaDeviceSynchronize());
  must(cudaFree(t));
}
struct Less {
  __host__ __device__ bool operator()(int a, int b) const { return a % 1000 < b % 1000; }
};
struct Odd {
  __host__ __device__ bool operator()(int a) const { return a & 1; }
};
struct Mod {
  __host__ __device__ int operator()(int a, int b) const { return (a + b) % 10007; }
};
struct Key {
  short major;
  float minor;
};
struct Decompose {
  __host__ __device__ cuda::std::tuple<short&, float&> operator()(Key& k) const {
    return {k.major, k.minor};
  }
};
int main() {
  int n = 5000, segs = 40;
  auto* k = device_values<int>(n, [](size_t i) { return number_at(i) % 4000; });
  auto* v = device_values<int>(n, [](size_t i) { return i; });
  auto* off = device_values<int>(segs + 1, [=](size_t i) { return i == 40 ? n : int(i * i * 3); });
  auto *a = device_zeros<int>(n), *b = device_zeros<int>(n), *c = device_zeros<int>(n);
  auto* num = device_zeros<int>(4);
  twice([&](void* t, size_t& s) {
    return cub::DeviceRadixSort::SortPairsDescending(t, s, k, a, v, b, n, 3, 11);
  });
  print_hash("radix", b, n);
  auto* f = device_values<double>(n, [](size_t i) { return real_at(i) * 1e3; });
  auto* fo = device_zeros<double>(n);
  twice([&](void* t, size_t& s) { return cub::DeviceRadixSort::SortKeys(t, s, f, fo, n); });
  print_hash("doubles", fo, n);
  twice([&](void* t, size_t& s) {
    return cub::DeviceSegmentedSort::StableSortPairs(t, s, k, a, v, b, n, segs, off, off + 1);
  });
  print_hash("segsort", b, n);
  twice([&](void* t, size_t& s) {
    return cub::DeviceSegmentedRadixSort::SortKeysDescending(t, s, k, a, n, segs, off, off + 1);
  });
  print_hash("segradix", a, 4563);
  must(cudaMemcpy(a, k, 4 * n, cudaMemcpyDefault));
  must(cudaMemcpy(b, v, 4 * n, cudaMemcpyDefault));
  twice([&](void* t, size_t& s) {
    return cub::DeviceMergeSort::StableSortPairs(t, s, a, b, n, Less());
  });
  print_hash("merge", b, n);
  twice([&](void* t, size_t& s) { return cub::DeviceRadixSort::SortKeys(t, s, k, a, n); });
  twice([&](void* t, size_t& s) {
    return cub::DeviceRunLengthEncode::Encode(t, s, a, b, c, num, n);
  });
  print_all("runs", num, 1);
  print_hash("lengths", c, 2000);
  twice([&](void* t, size_t& s) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(t, s, a, b, c, num, n);
  });
  print_all("nontrivial", num, 1);
  print_hash("nt", b, 1000);
  twice(
      [&](void* t, size_t& s) { return cub::DeviceSelect::UniqueByKey(t, s, a, v, b, c, num, n); });
  print_all("unique", num, 1);
  print_hash("uv", c, 2000);
  twice([&](void* t, size_t& s) {
    return cub::DeviceReduce::ReduceByKey(t, s, a, b, v, c, num, Mod(), n);
  });
  print_hash("rbk", c, 2000);
  twice([&](void* t, size_t& s) { return cub::DeviceSelect::If(t, s, k, b, num, n, Odd()); });
  print_all("if", num, 1);
  print_hash("if", b, 2000);
  twice([&](void* t, size_t& s) { return cub::DevicePartition::If(t, s, k, b, num, n, Odd()); });
  print_hash("part", b, n);
  auto* fl = device_values<char>(n, [](size_t i) { return i % 3 == 1; });
  twice([&](void* t, size_t& s) { return cub::DeviceSelect::Flagged(t, s, k, fl, b, num, n); });
  print_hash("flagged", b, 1600);
  twice(
      [&](void* t, size_t& s) { return cub::DeviceScan::ExclusiveScan(t, s, k, b, Mod(), 17, n); });
  print_hash("scan", b, n);
  twice([&](void* t, size_t& s) { return cub::DeviceScan::InclusiveSumByKey(t, s, fl, k, b, n); });
  print_hash("bykey", b, n);
  auto* kv = device_zeros<cub::KeyValuePair<int, int>>(segs);
  twice([&](void* t, size_t& s) {
    return cub::DeviceSegmentedReduce::ArgMin(t, s, k, kv, segs, off, off + 1);
  });
  print_hash("argmin", (int*)kv, 2 * segs);
  twice([&](void* t, size_t& s) {
    return cub::DeviceSegmentedReduce::Reduce(t, s, k, b, segs, off, off + 1, Mod(), 3);
  });
  print_hash("segred", b, segs);
  twice([&](void* t, size_t& s) { return cub::DeviceReduce::Max(t, s, k, num, n); });
  print_all("max", num, 1);
  auto* px = device_values<unsigned char>(4 * n, [](size_t i) { return number_at(i, 5); });
  int* hist[3];
  for (auto& h : hist)
    h = device_zeros<int>(256);
  int lv[3] = {257, 129, 65};
  int lo[3] = {0, 0, 0}, hi[3] = {256, 256, 256};
  twice([&](void* t, size_t& s) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(t, s, px, hist, lv, lo, hi, n);
  });
  print_hash("h0", hist[0], 256);
  print_hash("h1", hist[1], 128);
  print_hash("h2", hist[2], 64);
  auto* levels = device_values<int>(7, [](size_t i) { return i * i * 100; });
  auto* hr = device_zeros<int>(6);
  twice([&](void* t, size_t& s) {
    return cub::DeviceHistogram::HistogramRange(t, s, k, hr, 7, levels, n);
  });
  print_all("range", hr, 6);
  twice([&](void* t, size_t& s) {
    return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, s, k, b, n);
  });
  print_hash("adj", b, n);
  auto* keys = device_values<Key>(1000, [](size_t i) {
    return Key{(short)(number_at(i) % 20), real_at(i, 3)};
  });
  auto* ko = device_zeros<Key>(1000);
  auto* vi = device_values<int>(1000, [](size_t i) { return i; });
  twice([&](void* t, size_t& s) {
    return cub::DeviceRadixSort::SortPairs(t, s, keys, ko, vi, b, 1000, Decompose());
  });
  print_hash("custom", b, 1000);
  twice([&](void* t, size_t& s) {
    return cub::DeviceMerge::MergeKeys(t, s, a, n / 2, a + n / 2, n / 2, c);
  });
  print_hash("merged", c, n);
}
