// Sorting by odd-even transposition within a block, by merging with binary searches, and by radix with a scan
// a digit.
#include <algorithm>
#include <vector>

#include "check.h"

constexpr int kThreads = 256;

__global__ void odd_even_sort(short* data, int n) {
  __shared__ short values[512];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    values[i] = data[i];
  for (int round = 0; round < n; ++round) {
    __syncthreads();
    int i = 2 * threadIdx.x + (round & 1);
    if (i + 1 < n && values[i] > values[i + 1]) {
      short swap = values[i];
      values[i] = values[i + 1];
      values[i + 1] = swap;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = values[i];
}

// Each element finds its place in the merged run: its index plus the number of smaller ones in the other run.
__global__ void merge_runs(const float* in, float* out, int run, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int pair = i / (2 * run) * 2 * run, middle = min(pair + run, n), end = min(pair + 2 * run, n);
  bool is_left = i < middle;
  int low = is_left ? middle : pair, high = is_left ? end : middle;
  float value = in[i];
  int first = low;
  while (low < high) {  // equal elements keep their order
    int half = (low + high) / 2;
    bool goes_after = is_left ? in[half] < value : in[half] <= value;
    if (goes_after)
      low = half + 1;
    else
      high = half;
  }
  int own = is_left ? i - pair : i - middle;
  out[pair + own + (low - first)] = value;
}

__global__ void count_digits(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];  // digit-major
}

__global__ void scan_counts(unsigned* counts, int n) {  // exclusive, one warp
  unsigned carried = 0;
  for (int base = 0; base < n; base += 32) {
    int i = base + threadIdx.x;
    unsigned own = i < n ? counts[i] : 0, sum = own;
    for (int offset = 1; offset < 32; offset *= 2) {
      unsigned below = __shfl_up_sync(0xffffffffu, sum, offset);
      if (threadIdx.x >= offset) sum += below;
    }
    if (i < n) counts[i] = carried + sum - own;
    carried += __shfl_sync(0xffffffffu, sum, 31);
  }
}

__global__ void scatter_by_digit(const unsigned* keys, const unsigned* values, unsigned* keys_out,
                                 unsigned* values_out, const unsigned* places, int n, int shift) {
  __shared__ unsigned digits[kThreads];
  int i = blockIdx.x * kThreads + threadIdx.x;
  unsigned key = i < n ? keys[i] : 0, digit = i < n ? key >> shift & 15 : 16;
  digits[threadIdx.x] = digit;
  __syncthreads();
  // The rank among equal digits of the block, lanes by match, earlier warps by counting.
  unsigned same = __match_any_sync(0xffffffffu, digit), lane = threadIdx.x % 32;
  unsigned rank = __popc(same & ((1u << lane) - 1));
  for (int t = 0; t < threadIdx.x - lane; ++t)
    rank += digits[t] == digit;
  if (i < n) {
    unsigned place = places[digit * gridDim.x + blockIdx.x] + rank;
    keys_out[place] = key;
    values_out[place] = values[i];
  }
}

int main() {
  unsigned state = 2463534242u;
  const auto next = [&] {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
  };
  constexpr int small = 501;
  std::vector<short> shorts(small);
  for (auto& value : shorts)
    value = static_cast<short>(next());
  short* device_shorts = device_array<short>(small);
  to_device(device_shorts, shorts.data(), small);
  odd_even_sort<<<1, 256>>>(device_shorts, small);
  finish("odd-even");
  std::vector<short> sorted_shorts(small);
  to_host(sorted_shorts.data(), device_shorts, small);
  std::sort(shorts.begin(), shorts.end());
  printf("odd-even %d, middle %d\n", sorted_shorts == shorts, sorted_shorts[small / 2]);

  constexpr int n = 20001;
  std::vector<float> floats(n), sorted(n);
  for (auto& value : floats)
    value = static_cast<float>(static_cast<int>(next()) >> 8) / 1024;
  float *a = device_array<float>(n), *b = device_array<float>(n);
  to_device(a, floats.data(), n);
  for (int run = 1; run < n; run *= 2) {
    merge_runs<<<(n + kThreads - 1) / kThreads, kThreads>>>(a, b, run, n);
    std::swap(a, b);
  }
  finish("merge");
  to_host(sorted.data(), a, n);
  std::sort(floats.begin(), floats.end());
  printf("merge %d, middle %g\n", sorted == floats, sorted[n / 2]);

  constexpr int blocks = (n + kThreads - 1) / kThreads;
  std::vector<unsigned> keys(n), order(n), got_keys(n), got_order(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = next() % 5000;  // with repetitions: the order must be stable
    order[i] = i;
  }
  unsigned *k0 = device_array<unsigned>(n), *k1 = device_array<unsigned>(n), *v0 = device_array<unsigned>(n),
           *v1 = device_array<unsigned>(n), *counts = device_array<unsigned>(16 * blocks);
  to_device(k0, keys.data(), n);
  to_device(v0, order.data(), n);
  for (int shift = 0; shift < 16; shift += 4) {
    count_digits<<<blocks, kThreads>>>(k0, counts, n, shift);
    scan_counts<<<1, 32>>>(counts, 16 * blocks);
    scatter_by_digit<<<blocks, kThreads>>>(k0, v0, k1, v1, counts, n, shift);
    std::swap(k0, k1);
    std::swap(v0, v1);
  }
  finish("radix");
  to_host(got_keys.data(), k0, n);
  to_host(got_order.data(), v0, n);
  std::stable_sort(order.begin(), order.end(), [&](unsigned x, unsigned y) { return keys[x] < keys[y]; });
  std::sort(keys.begin(), keys.end());
  printf("radix %d, stable %d, middle %u\n", got_keys == keys, got_order == order, got_keys[n / 2]);
}
