// cuda::barrier: split arrive and wait, arrive_and_drop, a completion function, memcpy_async that arrives on
// it, and the same class in global memory for a whole grid; cuda::latch and cuda::counting_semaphore beside
// it.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <new>
#include <utility>

#include "check.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;
using GridBarrier = cuda::barrier<cuda::thread_scope_device>;

__global__ void split(const int* in, int* out, int rounds) {
  __shared__ BlockBarrier bar;
  __shared__ int box[256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int value = in[threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    box[threadIdx.x] = value;
    BlockBarrier::arrival_token token = bar.arrive();
    int square = value * value % 1000;  // work between the two
    bar.wait(std::move(token));
    value = (box[(threadIdx.x + 1) % blockDim.x] + square) % 1000;
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = value;
}

// One more thread leaves each round; the rest go on without it.
__global__ void dropping(int* out) {
  __shared__ BlockBarrier bar;
  __shared__ int left;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    left = blockDim.x;
  }
  __syncthreads();
  for (int r = 0; r < 40; ++r) {
    if (threadIdx.x == r) {
      atomicSub(&left, 1);
      bar.arrive_and_drop();
      out[r] = r + 100;
      return;
    }
    bar.arrive_and_wait();
    if (left != static_cast<int>(blockDim.x) - r - 1) out[threadIdx.x] = -1;
    bar.arrive_and_wait();
  }
  if (out[threadIdx.x] == 0) out[threadIdx.x] = left;
}

struct Count {
  int* completed;
  __device__ void operator()() noexcept { ++*completed; }
};

__global__ void completing(int* out) {
  __shared__ int completed;
  __shared__ alignas(cuda::barrier<cuda::thread_scope_block, Count>) char
      memory[sizeof(cuda::barrier<cuda::thread_scope_block, Count>)];
  auto* bar = reinterpret_cast<cuda::barrier<cuda::thread_scope_block, Count>*>(memory);
  if (threadIdx.x == 0) {
    completed = 0;
    new (bar) cuda::barrier<cuda::thread_scope_block, Count>(blockDim.x, Count{&completed});
  }
  __syncthreads();
  for (int r = 0; r < 10; ++r)
    bar->arrive_and_wait();
  if (threadIdx.x == 0) *out = completed;
}

__global__ void copying(const int* in, int* out) {
  __shared__ BlockBarrier bar;
  __shared__ alignas(16) int tile[256];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int t = 0; t < 4; ++t) {
    cuda::memcpy_async(block, tile, in + t * 256, cuda::aligned_size_t<4>(sizeof(int) * 250), bar);
    bar.arrive_and_wait();
    if (threadIdx.x < 250) out[t * 256 + threadIdx.x] = tile[249 - threadIdx.x];
    block.sync();
    cuda::memcpy_async(&tile[threadIdx.x], in + t * 256 + 255 - threadIdx.x, sizeof(int), bar);
    bar.arrive_and_wait();
    if (threadIdx.x >= 250) out[t * 256 + threadIdx.x] = tile[threadIdx.x];
    block.sync();
  }
}

__global__ void grid_wide(GridBarrier* bar, int* out, int blocks) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = 1;
  if (threadIdx.x == 0) {
    for (int r = 0; r < 8; ++r) {
      bar->arrive_and_wait();
      if (static_cast<int>(blockIdx.x) == r % blocks) out[r + 1] = out[r] * 2 + blockIdx.x;
    }
  }
}

__global__ void latch_and_semaphore(int* out) {
  __shared__ alignas(
      cuda::latch<cuda::thread_scope_block>) char latch_memory[sizeof(cuda::latch<cuda::thread_scope_block>)];
  using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 2>;
  __shared__ alignas(Semaphore) char semaphore_memory[sizeof(Semaphore)];
  __shared__ int inside, most;
  auto* latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(latch_memory);
  auto* semaphore = reinterpret_cast<Semaphore*>(semaphore_memory);
  if (threadIdx.x == 0) {
    new (latch) cuda::latch<cuda::thread_scope_block>(blockDim.x);
    new (semaphore) Semaphore(2);
    inside = most = 0;
  }
  __syncthreads();
  semaphore->acquire();
  atomicMax(&most, atomicAdd(&inside, 1) + 1);
  __nanosleep(20);
  atomicSub(&inside, 1);
  semaphore->release();
  latch->arrive_and_wait();
  if (threadIdx.x == 0) out[0] = most <= 2 && most > 0 && inside == 0;
}

int main() {
  int in[1024], out[1024];
  for (int i = 0; i < 1024; ++i)
    in[i] = i * 37 % 1000;
  int *device_in = device_array<int>(1024), *device_out = device_array<int>(1024);
  to_device(device_in, in, 1024);

  split<<<1, 256>>>(device_in, device_out, 12);
  finish("split");
  to_host(out, device_out, 256);
  int values[256], next[256], wrong = 0;
  for (int i = 0; i < 256; ++i)
    values[i] = in[i];
  for (int r = 0; r < 12; ++r) {
    for (int i = 0; i < 256; ++i)
      next[i] = (values[(i + 1) % 256] + values[i] * values[i] % 1000) % 1000;
    for (int i = 0; i < 256; ++i)
      values[i] = next[i];
  }
  for (int i = 0; i < 256; ++i)
    wrong += out[i] != values[i];
  std::printf("split: %d wrong\n", wrong);

  check(cudaMemset(device_out, 0, sizeof out), "cudaMemset");
  dropping<<<1, 64>>>(device_out);
  finish("dropping");
  to_host(out, device_out, 64);
  std::printf("dropping: %d %d %d %d\n", out[0], out[39], out[40], out[63]);

  completing<<<1, 96>>>(device_out);
  finish("completing");
  to_host(out, device_out, 1);
  std::printf("completing: %d\n", out[0]);

  copying<<<1, 256>>>(device_in, device_out);
  finish("copying");
  to_host(out, device_out, 1024);
  wrong = 0;
  for (int i = 0; i < 1024; ++i) {
    int t = i / 256, k = i % 256;
    wrong += out[i] != (k < 250 ? in[t * 256 + 249 - k] : in[t * 256 + 255 - k]);
  }
  std::printf("copying: %d wrong\n", wrong);

  constexpr int blocks = 5;
  GridBarrier* bar = device_array<GridBarrier>(1);
  GridBarrier made(blocks);
  check(cudaMemcpy(static_cast<void*>(bar), static_cast<void*>(&made), sizeof made, cudaMemcpyHostToDevice),
        "barrier");
  grid_wide<<<blocks, 64>>>(bar, device_out, blocks);
  finish("grid_wide");
  to_host(out, device_out, 9);
  std::printf("grid wide:");
  for (int i = 0; i < 9; ++i)
    std::printf(" %d", out[i]);
  std::printf("\n");

  latch_and_semaphore<<<1, 64>>>(device_out);
  finish("latch_and_semaphore");
  to_host(out, device_out, 1);
  std::printf("latch and semaphore: %d\n", out[0]);
}
