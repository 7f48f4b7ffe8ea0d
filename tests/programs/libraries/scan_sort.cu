// A scan of any length in three kernels, and a bitonic sort: many launches that hand results to each other.
#include <algorithm>
#include <vector>

#include "check.h"

constexpr int kThreads = 128;

__device__ int scan_block(int value) {
  __shared__ int warp_sums[kThreads / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    int below = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset) value += below;
  }
  if (lane == 31) warp_sums[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w)
    value += warp_sums[w];
  return value;
}

__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  int sum = scan_block(i < n ? in[i] : 0);
  if (i < n) out[i] = sum;
  if (threadIdx.x == kThreads - 1) sums[blockIdx.x] = sum;
}

__global__ void add_sums(int* out, const int* sums, int n) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

__global__ void bitonic_step(unsigned* data, unsigned distance, unsigned size) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ distance;
  if (partner <= i) return;
  bool ascending = (i & size) == 0;
  if ((data[i] > data[partner]) == ascending) {
    unsigned swap = data[i];
    data[i] = data[partner];
    data[partner] = swap;
  }
}

int main() {
  constexpr int n = 10007, blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> in(n), expected(n), got(n);
  for (int i = 0, sum = 0; i < n; ++i)
    expected[i] = sum += in[i] = (i * 7919) % 101 - 40;
  int *din = device_array<int>(n), *dout = device_array<int>(n), *sums = device_array<int>(blocks),
      *scanned = device_array<int>(blocks), *rest = device_array<int>(1);
  to_device(din, in.data(), n);
  scan_blocks<<<blocks, kThreads>>>(din, dout, sums, n);
  scan_blocks<<<1, kThreads>>>(sums, scanned, rest, blocks);
  add_sums<<<blocks, kThreads>>>(dout, scanned, n);
  finish("scan");
  to_host(got.data(), dout, n);
  printf("scan equal %d, last %d\n", got == expected, got[n - 1]);

  constexpr unsigned m = 4096;
  std::vector<unsigned> keys(m), sorted(m);
  unsigned state = 12345;
  for (auto& key : keys)
    key = state = state * 1664525u + 1013904223u;
  unsigned* device = device_array<unsigned>(m);
  to_device(device, keys.data(), m);
  for (unsigned size = 2; size <= m; size *= 2) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2)
      bitonic_step<<<m / 256, 256>>>(device, distance, size);
  }
  finish("sort");
  to_host(sorted.data(), device, m);
  std::sort(keys.begin(), keys.end());
  printf("sort equal %d, least %u\n", keys == sorted, sorted[0]);
}
