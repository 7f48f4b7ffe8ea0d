// Prefix sums three ways: Hillis and Steele's (log n steps, n log n additions), Blelloch's (up and down a
// tree), and the decoupled look-back, in which a block waits for the sum of all before it while they are
// still running.
#include <numeric>
#include <vector>

#include "check.h"

constexpr int kThreads = 128;

__global__ void scan_hillis_steele(const int* in, int* out) {  // inclusive, one block
  __shared__ int buffer[2][kThreads];
  int current = 0, t = threadIdx.x;
  buffer[0][t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int offset = 1; offset < kThreads; offset *= 2) {
    buffer[1 - current][t] = buffer[current][t] + (t >= offset ? buffer[current][t - offset] : 0);
    current = 1 - current;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + t] = buffer[current][t];
}

__global__ void scan_blelloch(const int* in, int* out) {  // exclusive, two elements per thread
  __shared__ int tree[2 * kThreads];
  int t = threadIdx.x, base = blockIdx.x * 2 * kThreads, offset = 1;
  tree[2 * t] = in[base + 2 * t];
  tree[2 * t + 1] = in[base + 2 * t + 1];
  for (int active = kThreads; active > 0; active /= 2, offset *= 2) {
    __syncthreads();
    if (t < active) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0) tree[2 * kThreads - 1] = 0;
  for (int active = 1; active <= kThreads; active *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < active) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, kept = tree[left];
      tree[left] = tree[right];
      tree[right] += kept;
    }
  }
  __syncthreads();
  out[base + 2 * t] = tree[2 * t];
  out[base + 2 * t + 1] = tree[2 * t + 1];
}

// A tile's state in one word, so that flag and value arrive together: 1 its own sum, 2 the sum up to its end.
__global__ void scan_look_back(const int* in, int* out, unsigned long long* states, unsigned* ticket, int n) {
  __shared__ int warp_sums[kThreads / 32], tile, before;
  if (threadIdx.x == 0)
    tile = static_cast<int>(atomicAdd(ticket, 1u));  // tiles in the order in which blocks start
  __syncthreads();
  int i = tile * kThreads + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = i < n ? in[i] : 0;
  for (int offset = 1; offset < 32; offset *= 2) {
    int below = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset) value += below;
  }
  if (lane == 31) warp_sums[warp] = value;
  __syncthreads();
  int of_earlier_warps = 0, total = 0;
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w < warp) of_earlier_warps += warp_sums[w];
    total += warp_sums[w];
  }
  if (threadIdx.x == 0) {
    const auto publish = [&](unsigned long long flag, int sum) {
      atomicExch(&states[tile], flag << 32 | static_cast<unsigned>(sum));
    };
    int sum = 0;
    publish(tile == 0 ? 2 : 1, total);
    for (int back = tile - 1; back >= 0;) {
      unsigned long long state = *reinterpret_cast<volatile unsigned long long*>(&states[back]);
      if (state >> 32 == 0) continue;  // not published yet
      sum += static_cast<int>(static_cast<unsigned>(state));
      if (state >> 32 == 2) break;
      --back;
    }
    if (tile > 0) publish(2, sum + total);
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + of_earlier_warps + value;
}

int main() {
  constexpr int n = 64 * 2 * kThreads;
  std::vector<int> in(n), expected(n), got(n);
  for (int i = 0; i < n; ++i)
    in[i] = (i * 7919) % 23 - 7;
  int *device = device_array<int>(n), *out = device_array<int>(n);
  to_device(device, in.data(), n);

  scan_hillis_steele<<<n / kThreads, kThreads>>>(device, out);
  finish("hillis-steele");
  to_host(got.data(), out, n);
  for (int block = 0; block < n; block += kThreads)
    std::partial_sum(&in[block], &in[block] + kThreads, &expected[block]);
  printf("hillis-steele %d, last %d\n", got == expected, got[n - 1]);

  scan_blelloch<<<n / (2 * kThreads), kThreads>>>(device, out);
  finish("blelloch");
  to_host(got.data(), out, n);
  for (int block = 0; block < n; block += 2 * kThreads)
    std::exclusive_scan(&in[block], &in[block] + 2 * kThreads, &expected[block], 0);
  printf("blelloch %d, last %d\n", got == expected, got[n - 1]);

  constexpr int odd = n - 77, tiles = (odd + kThreads - 1) / kThreads;
  auto* states = device_array<unsigned long long>(tiles);
  auto* ticket = device_array<unsigned>(1);
  check(cudaMemset(states, 0, tiles * sizeof *states), "cudaMemset");
  check(cudaMemset(ticket, 0, sizeof *ticket), "cudaMemset");
  scan_look_back<<<tiles, kThreads>>>(device, out, states, ticket, odd);
  finish("look-back");
  to_host(got.data(), out, odd);
  std::partial_sum(in.begin(), in.begin() + odd, expected.begin());
  bool equal = std::equal(got.begin(), got.begin() + odd, expected.begin());
  printf("look-back %d over %d tiles, last %d\n", equal, tiles, got[odd - 1]);
}
