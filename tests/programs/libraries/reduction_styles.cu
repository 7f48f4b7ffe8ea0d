// One sum, six ways: interleaved and sequential trees in shared memory, shuffles, one atomic a warp, two
// passes, and cooperative groups. Integers, so every order gives the same answer; and a float maximum, which
// has no order.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;
constexpr int kThreads = 256;

__global__ void sum_interleaved(const int* in, long long* sum, int n) {
  __shared__ int partial[kThreads];
  int i = blockIdx.x * kThreads + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<long long>(partial[0]));
}

__global__ void sum_sequential(const int* in, long long* sum, int n) {
  extern __shared__ int partial_sums[];
  int i = blockIdx.x * 2 * kThreads + threadIdx.x;
  partial_sums[threadIdx.x] = (i < n ? in[i] : 0) + (i + kThreads < n ? in[i + kThreads] : 0);
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial_sums[threadIdx.x] += partial_sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<long long>(partial_sums[0]));
}

__global__ void sum_warp_atomics(const int* in, long long* sum, int n) {
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<long long>(value));
}

template <typename Value, typename Combine>
__device__ Value reduce_block(Value value, Value neutral, Combine combine) {
  __shared__ Value of_warp[32];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, lanes));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : neutral;
  if (threadIdx.x < 32)
    for (int lanes = 16; lanes > 0; lanes /= 2)
      value = combine(value, __shfl_xor_sync(0xffffffffu, value, lanes));
  return value;
}

struct Add {
  __device__ int operator()(int a, int b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__global__ void sum_first_pass(const int* in, int* partial, int n) {
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  value = reduce_block(value, 0, Add{});
  if (threadIdx.x == 0) partial[blockIdx.x] = value;
}

__global__ void largest(const float* in, float* out, int n) {
  float value = -3.4e38f;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    value = fmaxf(value, in[i]);
  value = reduce_block(value, -3.4e38f, Larger{});
  if (threadIdx.x == 0) *out = value;
}

__global__ void sum_groups(const int* in, long long* sum, int n) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int value = 0;
  for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size())
    value += in[i];
  value = cg::reduce(warp, value, cg::plus<int>());
  if (warp.thread_rank() == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<long long>(value));
}

// The last block to finish adds up what all blocks left: one launch, no second kernel.
__device__ unsigned finished = 0;
__global__ void sum_last_block(const int* in, volatile int* partial, int* sum, int n) {
  __shared__ bool is_last;
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  value = reduce_block(value, 0, Add{});
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = value;
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  value = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
  __syncthreads();
  value = reduce_block(value, 0, Add{});
  if (threadIdx.x == 0) *sum = value;
}

int main() {
  constexpr int n = 100003, blocks = 64;
  std::vector<int> in(n);
  std::vector<float> floats(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<int>(i * 2654435761u >> 20) - 2048;
    floats[i] = static_cast<float>(in[i]) * 0.125f;
    expected += in[i];
  }
  int *device = device_array<int>(n), *partial = device_array<int>(blocks), *small = device_array<int>(1);
  float *device_floats = device_array<float>(n), *device_largest = device_array<float>(1);
  long long* sum = device_array<long long>(1);
  to_device(device, in.data(), n);
  to_device(device_floats, floats.data(), n);

  const auto report = [&](const char* name) {
    finish(name);
    long long got = 0;
    to_host(&got, sum, 1);
    printf("%-12s %lld %s\n", name, got, got == expected ? "right" : "WRONG");
    check(cudaMemset(sum, 0, sizeof *sum), "cudaMemset");
  };
  check(cudaMemset(sum, 0, sizeof *sum), "cudaMemset");
  sum_interleaved<<<(n + kThreads - 1) / kThreads, kThreads>>>(device, sum, n);
  report("interleaved");
  sum_sequential<<<(n + 2 * kThreads - 1) / (2 * kThreads), kThreads, kThreads * sizeof(int)>>>(device, sum,
                                                                                                n);
  report("sequential");
  sum_warp_atomics<<<blocks, kThreads>>>(device, sum, n);
  report("warp atomics");
  sum_groups<<<blocks, kThreads>>>(device, sum, n);
  report("groups");

  const auto report_small = [&](const char* name) {
    finish(name);
    int got = 0;
    to_host(&got, small, 1);
    printf("%-12s %d %s\n", name, got, got == expected ? "right" : "WRONG");
  };
  sum_first_pass<<<blocks, kThreads>>>(device, partial, n);
  sum_first_pass<<<1, kThreads>>>(partial, small, blocks);
  report_small("two passes");
  for (int round = 0; round < 2; ++round) {  // the counter has come back to 0 after the first
    sum_last_block<<<blocks, kThreads>>>(device, partial, small, n);
    report_small("last block");
  }
  largest<<<1, kThreads>>>(device_floats, device_largest, n);
  float got = 0;
  to_host(&got, device_largest, 1);
  printf("largest %g %s\n", got, got == *std::max_element(floats.begin(), floats.end()) ? "right" : "WRONG");
}
