// Monte Carlo with generators of our own (xorshift, a linear congruential one) and cuRAND's device API
// (Philox), which is compared with Philox written out on the CPU.
#include <curand_kernel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.h"

__host__ __device__ unsigned xorshift(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

__global__ void count_inside(unsigned long long* inside, int samples) {
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u, hits = 0;
  for (int i = 0; i < samples; ++i) {
    unsigned long long x = xorshift(state) >> 8, y = xorshift(state) >> 8;
    hits += x * x + y * y < 1ull << 48;
  }
  hits = __reduce_add_sync(0xffffffffu, hits);
  if (threadIdx.x % 32 == 0) atomicAdd(inside, static_cast<unsigned long long>(hits));
}

__global__ void philox(uint4* words, float* uniform, float* normal, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(seed, i, 2, &state);
  words[i] = curand4(&state);
  uniform[i] = curand_uniform(&state);
  normal[i] = curand_normal(&state);
}

uint4 philox_on_cpu(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    unsigned long long a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
    counter = {static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
               static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a)};
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

int main() {
  auto* inside = device_array<unsigned long long>(1);
  check(cudaMemset(inside, 0, sizeof *inside), "cudaMemset");
  constexpr int threads = 2048, samples = 50;
  count_inside<<<threads / 128, 128>>>(inside, samples);
  finish("count_inside");
  unsigned long long got = 0, expected = 0;
  to_host(&got, inside, 1);
  for (unsigned t = 0; t < threads; ++t) {
    unsigned state = (t + 1) * 2654435761u;
    for (int i = 0; i < samples; ++i) {
      unsigned long long x = xorshift(state) >> 8, y = xorshift(state) >> 8;
      expected += x * x + y * y < 1ull << 48;
    }
  }
  printf("pi about %.4f, hits %llu, %s\n", 4.0 * static_cast<double>(got) / (threads * samples), got,
         got == expected ? "right" : "WRONG");

  constexpr int n = 512;
  constexpr unsigned long long seed = 0x123456789abcdefull;
  uint4* words = device_array<uint4>(n);
  float *uniform = device_array<float>(n), *normal = device_array<float>(n);
  philox<<<n / 64, 64>>>(words, uniform, normal, seed);
  finish("philox");
  std::vector<uint4> host(n);
  std::vector<float> host_uniform(n), host_normal(n);
  to_host(host.data(), words, n);
  to_host(host_uniform.data(), uniform, n);
  to_host(host_normal.data(), normal, n);
  int wrong = 0;
  float least = 1, most = 0;
  double sum = 0, squares = 0;
  for (unsigned i = 0; i < n; ++i) {
    // Offset 2 begins in the middle of a counter's four words; curand4 then takes two of the next.
    uint2 key{static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
    uint4 first = philox_on_cpu({0, 0, i, 0}, key), second = philox_on_cpu({1, 0, i, 0}, key);
    wrong += host[i].x != first.z || host[i].y != first.w || host[i].z != second.x || host[i].w != second.y;
    wrong += host_uniform[i] <= 0 || host_uniform[i] > 1;
    least = std::min(least, host_uniform[i]);
    most = std::max(most, host_uniform[i]);
    sum += host_normal[i];
    squares += static_cast<double>(host_normal[i]) * host_normal[i];
  }
  printf("philox wrong %d, first %08x, uniform from %.4f to %.4f\n", wrong, host[0].x, least, most);
  printf("normal: mean near 0 %d, variance near 1 %d\n", std::abs(sum / n) < 0.15,
         std::abs(squares / n - 1) < 0.2);
}
