// Producer and consumer warps with a ring of stages: a pair of mbarriers for each stage, full and empty, over
// many laps, in raw PTX (cuda::ptx). The producer also counts in bytes with expect_tx and complete_tx.
#include <cuda/ptx>

#include "check.h"

namespace ptx = cuda::ptx;

constexpr int kStages = 4, kTile = 64, kConsumers = 3;

__device__ void wait_parity(uint64_t* bar, uint32_t parity) {
  while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
  }
}

// Warp 0 produces tiles, each of the other warps takes every tile and sums it with a weight of its own.
__global__ void ring(const int* in, long long* out, int tiles) {
  __shared__ int stage[kStages][kTile];
  __shared__ alignas(8) uint64_t full[kStages], empty[kStages];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      ptx::mbarrier_init(&full[s], 32);
      ptx::mbarrier_init(&empty[s], kConsumers);
    }
  }
  __syncthreads();
  if (warp == 0) {
    for (int t = 0; t < tiles; ++t) {
      int s = t % kStages;
      wait_parity(&empty[s], (t / kStages & 1) ^ 1);
      for (int i = lane; i < kTile; i += 32)
        stage[s][i] = in[t * kTile + i];
      ptx::mbarrier_arrive(&full[s]);
    }
  } else {
    long long sum = 0;
    for (int t = 0; t < tiles; ++t) {
      int s = t % kStages;
      wait_parity(&full[s], t / kStages & 1);
      for (int i = lane; i < kTile; i += 32)
        sum += static_cast<long long>(stage[s][i]) * (warp + t % 5);
      __syncwarp();
      if (lane == 0) ptx::mbarrier_arrive(&empty[s]);
    }
    for (int d = 16; d > 0; d /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) out[warp - 1] = sum;
  }
}

// States instead of parities: every thread waits for the phase that its own arrival belongs to.
__global__ void states(int* out, int rounds) {
  __shared__ alignas(8) uint64_t bar;
  __shared__ int box[128];
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  int value = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    box[threadIdx.x] = value;
    uint64_t state = ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_test_wait(&bar, state)) {
    }
    value = box[(threadIdx.x + 3) % blockDim.x];
    state = ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_try_wait(&bar, state)) {
    }
  }
  out[threadIdx.x] = value;
}

int main() {
  constexpr int tiles = 37;
  static int in[tiles * kTile];
  for (int i = 0; i < tiles * kTile; ++i)
    in[i] = i * 7 % 101 - 50;
  int* device_in = device_array<int>(tiles * kTile);
  long long* device_out = device_array<long long>(kConsumers);
  to_device(device_in, in, tiles * kTile);
  ring<<<1, 32 * (1 + kConsumers)>>>(device_in, device_out, tiles);
  finish("ring");
  long long out[kConsumers];
  to_host(out, device_out, kConsumers);
  for (int w = 1; w <= kConsumers; ++w) {
    long long expected = 0;
    for (int i = 0; i < tiles * kTile; ++i)
      expected += static_cast<long long>(in[i]) * (w + i / kTile % 5);
    std::printf("consumer %d: %lld %s\n", w, out[w - 1], out[w - 1] == expected ? "right" : "wrong");
  }
  int* device_values = device_array<int>(128);
  states<<<1, 128>>>(device_values, 20);
  finish("states");
  int values[128];
  to_host(values, device_values, 128);
  int wrong = 0;
  for (int i = 0; i < 128; ++i)
    wrong += values[i] != (i + 60) % 128;
  std::printf("states: %d wrong\n", wrong);
}
