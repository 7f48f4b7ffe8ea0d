// Data brought to shared memory while other data is worked on: cp.async through the pipeline primitives,
// cooperative groups' memcpy_async, and cuda::memcpy_async with a barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;
constexpr int kThreads = 128, kTile = 512;

__global__ void with_primitives(const int* in, long long* out, int tiles) {
  __shared__ alignas(16) int buffer[3][kTile];
  long long sum = 0;
  const auto fetch = [&](int tile) {
    if (tile < tiles)
      __pipeline_memcpy_async(&buffer[tile % 3][threadIdx.x * 4], &in[tile * kTile + threadIdx.x * 4], 16);
    __pipeline_commit();
  };
  fetch(0);
  fetch(1);
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + 2);
    __pipeline_wait_prior(2);
    __syncthreads();
    for (int i = threadIdx.x; i < kTile; i += kThreads)
      sum += static_cast<long long>(buffer[tile % 3][i]) * (i + 1);
    __syncthreads();
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(sum));
}

__global__ void with_zero_fill(const int* in, long long* out, int n) {
  __shared__ alignas(16) int buffer[kTile];
  long long sum = 0;
  for (int base = 0; base < n; base += kTile) {
    int first = base + threadIdx.x * 4, valid = min(max(n - first, 0), 4) * 4;
    __pipeline_memcpy_async(&buffer[threadIdx.x * 4], &in[min(first, n - 1) / 4 * 4], 16, 16 - valid);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = threadIdx.x; i < kTile; i += kThreads)
      sum += static_cast<long long>(buffer[i]) * (i + 1);
    __syncthreads();
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(sum));
}

__global__ void with_groups(const int* in, long long* out, int tiles) {
  __shared__ alignas(16) int buffer[2][kTile];
  auto block = cg::this_thread_block();
  long long sum = 0;
  cg::memcpy_async(block, buffer[0], in, sizeof buffer[0]);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      cg::memcpy_async(block, buffer[(tile + 1) % 2], in + (tile + 1) * kTile, sizeof buffer[0]);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    for (int i = threadIdx.x; i < kTile; i += kThreads)
      sum += static_cast<long long>(buffer[tile % 2][i]) * (i + 1);
    block.sync();
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(sum));
}

__global__ void with_barrier(const int* in, long long* out, int tiles) {
  __shared__ alignas(16) int buffer[kTile];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, kThreads);
  block.sync();
  long long sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    cuda::memcpy_async(block, buffer, in + tile * kTile, cuda::aligned_size_t<16>(sizeof buffer), barrier);
    barrier.arrive_and_wait();
    for (int i = threadIdx.x; i < kTile; i += kThreads)
      sum += static_cast<long long>(buffer[i]) * (i + 1);
    barrier.arrive_and_wait();
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(sum));
}

int main() {
  constexpr int tiles = 9, n = tiles * kTile;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = (i * 7919) % 4093 - 2000;
  int* device = device_array<int>(n);
  auto* out = device_array<long long>(1);
  to_device(device, in.data(), n);
  const auto report = [&](const char* name, int count) {
    finish(name);
    long long got = 0, expected = 0;
    for (int i = 0; i < count; ++i)
      expected += static_cast<long long>(in[i]) * (i % kTile + 1);
    to_host(&got, out, 1);
    printf("%s: %lld %s\n", name, got, got == expected ? "right" : "WRONG");
    check(cudaMemset(out, 0, sizeof *out), "cudaMemset");
  };
  check(cudaMemset(out, 0, sizeof *out), "cudaMemset");
  with_primitives<<<1, kThreads>>>(device, out, tiles);
  report("primitives", n);
  with_zero_fill<<<1, kThreads>>>(device, out, n - 103);
  report("zero fill", n - 103);
  with_groups<<<1, kThreads>>>(device, out, tiles);
  report("groups", n);
  with_barrier<<<1, kThreads>>>(device, out, tiles);
  report("barrier", n);
}
