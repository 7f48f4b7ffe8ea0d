// Our part of CUB against the standard library, at sizes around the number of a block's threads.
// Prints what differs.
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace {

int failures = 0, comparisons = 0;

void expect(bool holds, const char* what, long long n) {
  ++comparisons;
  if (!holds) printf("differs: %s of %lld items\n", what, n);
  failures += !holds;
}

// Managed memory, so that the host compares it in place.
template <class T>
class Items {
 public:
  explicit Items(const std::vector<T>& from) : Items(from.size()) {
    std::copy(from.begin(), from.end(), data_);
  }
  explicit Items(size_t count) : count_(count) {
    expect(cudaMallocManaged(&data_, (count + 1) * sizeof(T)) == cudaSuccess, "memory", count);
  }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;
  ~Items() { cudaFree(data_); }
  T* get() const { return data_; }
  void expect_start(const std::vector<T>& wanted, const char* what) const {
    expect(std::equal(wanted.begin(), wanted.end(), data_), what, count_);
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// Both phases of a call, with storage that is not aligned; too little storage is refused.
template <class Call>
void run(const char* what, long long n, Call call) {
  size_t bytes = 0;
  expect(call(nullptr, bytes) == cudaSuccess && bytes > 0, what, n);
  const Items<char> storage(bytes + 1);
  size_t less = bytes - 1;
  expect(call(storage.get() + 1, less) == cudaErrorInvalidValue, "too little storage", n);
  expect(call(storage.get() + 1, bytes) == cudaSuccess, what, n);
  expect(cudaDeviceSynchronize() == cudaSuccess, what, n);
}

uint64_t state = 1;
uint64_t draw() {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 24;
}

template <class T>
std::vector<T> drawn(int n) {
  std::vector<T> result(n);
  for (T& item : result)
    item = static_cast<T>(draw());
  return result;
}

// x -> a x + b; their composition does not commute.
struct Affine {
  uint32_t a, b;
  bool operator==(const Affine& other) const { return a == other.a && b == other.b; }
};
struct Compose {
  __host__ __device__ Affine operator()(Affine first, Affine second) const {
    return {second.a * first.a, second.a * first.b + second.b};
  }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

void scans(int n) {
  using cub::DeviceScan;
  const std::vector<uint8_t> bytes = drawn<uint8_t>(n);
  std::vector<Affine> maps(n), composed(n);
  for (Affine& map : maps)
    map = {static_cast<uint32_t>(draw()), static_cast<uint32_t>(draw())};
  std::vector<int> wide(bytes.begin(), bytes.end()), sums(n);
  const Items<uint8_t> in(bytes);
  const Items<int> out(n), data(wide), more(wide);
  // The sum of two bytes is an int, so it does not wrap.
  std::partial_sum(wide.begin(), wide.end(), sums.begin());
  run("InclusiveSum", n,
      [&](void* s, size_t& b) { return DeviceScan::InclusiveSum(s, b, in.get(), out.get(), n); });
  out.expect_start(sums, "InclusiveSum");
  run("InclusiveSum in place", n, [&](void* s, size_t& b) {
    return DeviceScan::InclusiveSum(s, b, data.get(), static_cast<size_t>(n), cudaStream_t());
  });
  data.expect_start(sums, "InclusiveSum in place");
  std::exclusive_scan(wide.begin(), wide.end(), sums.begin(), 0);
  run("ExclusiveSum in place", n,
      [&](void* s, size_t& b) { return DeviceScan::ExclusiveSum(s, b, more.get(), n); });
  more.expect_start(sums, "ExclusiveSum in place");
  const Items<Affine> from(maps), to(n);
  std::inclusive_scan(maps.begin(), maps.end(), composed.begin(), Compose());
  run("InclusiveScan", n, [&](void* s, size_t& b) {
    return DeviceScan::InclusiveScan(s, b, from.get(), to.get(), Compose(), n);
  });
  to.expect_start(composed, "InclusiveScan");
  const Affine first = {3, 5};
  std::exclusive_scan(maps.begin(), maps.end(), composed.begin(), first, Compose());
  run("ExclusiveScan", n, [&](void* s, size_t& b) {
    return DeviceScan::ExclusiveScan(s, b, from.get(), to.get(), Compose(), first, n);
  });
  to.expect_start(composed, "ExclusiveScan");
  run("ExclusiveScan in place", n, [&](void* s, size_t& b) {
    return DeviceScan::ExclusiveScan(s, b, from.get(), Compose(), first, n, cudaStream_t());
  });
  from.expect_start(composed, "ExclusiveScan in place");
}

void reductions(int n) {
  using cub::DeviceReduce;
  std::vector<int> items = drawn<int>(n);
  std::vector<Affine> maps(n);
  for (Affine& map : maps)
    map = {static_cast<uint32_t>(draw()), static_cast<uint32_t>(draw())};
  const Items<int> in(items), result(1);
  const Items<Affine> from(maps), composed(1);
  const Items<long long> wide(1);
  run("Sum", n,
      [&](void* s, size_t& b) { return DeviceReduce::Sum(s, b, in.get(), wide.get(), n); });
  wide.expect_start({std::accumulate(items.begin(), items.end(), 0ll)}, "Sum");
  items.push_back(std::numeric_limits<int>::max());
  run("Min", n,
      [&](void* s, size_t& b) { return DeviceReduce::Min(s, b, in.get(), result.get(), n); });
  result.expect_start({*std::min_element(items.begin(), items.end())}, "Min");
  items.back() = std::numeric_limits<int>::lowest();
  run("Max", n,
      [&](void* s, size_t& b) { return DeviceReduce::Max(s, b, in.get(), result.get(), n); });
  result.expect_start({*std::max_element(items.begin(), items.end())}, "Max");
  const Affine first = {3, 5};
  run("Reduce", n, [&](void* s, size_t& b) {
    return DeviceReduce::Reduce(s, b, from.get(), composed.get(), n, Compose(), first);
  });
  composed.expect_start({std::accumulate(maps.begin(), maps.end(), first, Compose())}, "Reduce");
}

void selections(int n) {
  using cub::DeviceSelect;
  const std::vector<int> items = drawn<int>(n);
  const std::vector<char> flags = drawn<char>(n);
  std::vector<int> odd, flagged, odd_places;
  for (int i = 0; i < n; ++i) {
    if (IsOdd()(items[i])) odd.push_back(items[i]);
    if (IsOdd()(i)) odd_places.push_back(i);
    if (flags[i]) flagged.push_back(items[i]);
  }
  const Items<int> in(items), also_in(items), out(n), count(1);
  const Items<char> chosen(flags);
  const auto check = [&](const Items<int>& got, const std::vector<int>& wanted, const char* what) {
    got.expect_start(wanted, what);
    count.expect_start({static_cast<int>(wanted.size())}, what);
  };
  run("If", n, [&](void* s, size_t& b) {
    return DeviceSelect::If(s, b, thrust::counting_iterator<int>(0), out.get(), count.get(), n,
                            IsOdd());
  });
  check(out, odd_places, "If");
  run("Flagged", n, [&](void* s, size_t& b) {
    return DeviceSelect::Flagged(s, b, in.get(), chosen.get(), out.get(), count.get(), n);
  });
  check(out, flagged, "Flagged");
  run("Flagged in place", n, [&](void* s, size_t& b) {
    return DeviceSelect::Flagged(s, b, in.get(), chosen.get(), count.get(), n, cudaStream_t());
  });
  check(in, flagged, "Flagged in place");
  run("If in place", n, [&](void* s, size_t& b) {
    return DeviceSelect::If(s, b, also_in.get(), count.get(), n, IsOdd(), cudaStream_t());
  });
  check(also_in, odd, "If in place");
}

// The bits of an integer from `begin` up to `end`, the sign's so that negative numbers come first.
template <class Key>
uint64_t field(Key key, int begin, int end) {
  using Bits = std::make_unsigned_t<Key>;
  Bits bits = static_cast<Bits>(key);
  if (std::is_signed_v<Key>) bits ^= static_cast<Bits>(Bits(1) << (8 * sizeof(Key) - 1));
  const uint64_t shifted = end == 64 ? bits : bits & ((uint64_t(1) << end) - 1);
  return begin == 64 ? 0 : shifted >> begin;
}

// Sorts pairs both ways. less: the order of keys; equal keys stay in their order.
template <class Key, class Less>
void sorts(const char* what, const std::vector<Key>& keys, int begin, int end, Less less) {
  using cub::DeviceRadixSort;
  const int n = static_cast<int>(keys.size());
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  const Items<Key> in(keys), out(n);
  const Items<int> values(places), sorted(n);
  const auto check = [&](const Key* got_keys, const int* got, bool descending) {
    std::vector<int> wanted = places;
    std::sort(wanted.begin(), wanted.end(), [&](int a, int b) {
      const int first = descending ? b : a, second = descending ? a : b;
      if (less(keys[first], keys[second])) return true;
      return !less(keys[second], keys[first]) && a < b;
    });
    bool same = true;
    for (int i = 0; i < n; ++i)
      same = same && memcmp(&got_keys[i], &keys[wanted[i]], sizeof(Key)) == 0 &&
             (!got || got[i] == wanted[i]);
    expect(same, what, n);
  };
  run(what, n, [&](void* s, size_t& b) {
    return DeviceRadixSort::SortPairs(s, b, in.get(), out.get(), values.get(), sorted.get(), n,
                                      begin, end);
  });
  check(out.get(), sorted.get(), false);
  run(what, n, [&](void* s, size_t& b) {
    return DeviceRadixSort::SortKeysDescending(s, b, in.get(), out.get(), n, begin, end);
  });
  check(out.get(), nullptr, true);
  values.expect_start(places, "the values that were sorted");
  cub::DoubleBuffer<Key> key_buffers(in.get(), out.get());
  cub::DoubleBuffer<int> value_buffers(values.get(), sorted.get());
  run(what, n, [&](void* s, size_t& b) {
    return DeviceRadixSort::SortPairsDescending(s, b, key_buffers, value_buffers, n, begin, end);
  });
  check(key_buffers.Current(), value_buffers.Current(), true);
}

template <class Key>
void integer_sorts(const char* what, int n) {
  constexpr int kBits = 8 * sizeof(Key);
  for (const auto& [begin, end] : std::vector<std::pair<int, int>>{
           {0, kBits}, {3, kBits}, {0, kBits - 2}, {2, 7}, {1, 2}, {5, 5}})
    sorts(what, drawn<Key>(n), begin, end, [begin = begin, end = end](Key a, Key b) {
      return field(a, begin, end) < field(b, begin, end);
    });
}

template <class Key>
void float_sorts(const char* what, int n) {
  std::vector<Key> keys(n);
  for (int i = 0; i < n; ++i)
    keys[i] = static_cast<float>(static_cast<int>(draw() % 64) - 32) / 8;
  for (int i = 0; i < n; i += 7)
    keys[i] = -0.0f;
  for (int i = 3; i < n; i += 50)
    keys[i] = i % 4 ? HUGE_VALF : -HUGE_VALF;
  sorts(what, keys, 0, 8 * sizeof(Key), [](Key a, Key b) {
    return static_cast<double>(static_cast<float>(a)) < static_cast<double>(static_cast<float>(b));
  });
}

}  // namespace

int main() {
  for (const int n : {0, 1, 2, 255, 256, 257, 700}) {
    scans(n);
    reductions(n);
    selections(n);
  }
  for (const int n : {0, 1, 257, 400}) {
    integer_sorts<uint8_t>("keys of 1 byte", n);
    integer_sorts<int16_t>("keys of 2 bytes", n);
    integer_sorts<int>("keys of 4 bytes", n);
    integer_sorts<uint64_t>("keys of 8 bytes", n);
    float_sorts<float>("floats", n);
    float_sorts<double>("doubles", n);
    float_sorts<__half>("halves", n);
  }
  printf("%d of %d comparisons differ\n", failures, comparisons);
  return failures != 0 || comparisons < 1000;
}
