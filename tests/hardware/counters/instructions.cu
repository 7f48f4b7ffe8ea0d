// Issued instructions: straight arithmetic, loops, branches, local memory, spills, constants.
#include <numeric>

#include "micro_kernel.h"

constexpr int kBlocks = 32, kThreads = 256;
constexpr int kTurns = 64;

__device__ unsigned thread_index() {
  return blockIdx.x * kThreads + threadIdx.x;
}

template <typename T>
__global__ void fused_multiply_add(T* out, T factor) {
  T sum = static_cast<T>(threadIdx.x);
#pragma unroll 4
  for (int i = 0; i < kTurns; ++i)
    sum = sum * factor + static_cast<T>(1);
  out[thread_index()] = sum;
}

__global__ void integer_mix(unsigned* out) {
  unsigned h = threadIdx.x;
  for (int i = 0; i < kTurns; ++i) {
    h ^= h << 13;
    h ^= h >> 17;
    h = h * 1664525u + 1013904223u;
  }
  out[thread_index()] = h;
}

// Even and odd lanes take different ways, long enough that no predicate will do.
__global__ void divergent_halves(unsigned* out, const unsigned* in) {
  unsigned h = in[thread_index()];
  if (threadIdx.x % 2 == 0) {
    for (unsigned i = 0; i < 10; ++i)
      h = h * 3 + out[i];
  } else {
    for (unsigned i = 0; i < 20; ++i)
      h = h * 5 + out[i];
  }
  out[thread_index() + 64] = h;
}

// Lane l goes round l times.
__global__ void divergent_loop(unsigned* out) {
  unsigned h = 1;
#pragma unroll 1
  for (unsigned i = 0; i < threadIdx.x % 32; ++i)
    h = h * 3 + i;
  out[thread_index()] = h;
}

__global__ void barriers(unsigned* out) {
  __shared__ unsigned value;
  for (unsigned i = 0; i < 8; ++i) {
    if (threadIdx.x == 0) value = i;
    __syncthreads();
    out[thread_index() + i * kThreads] = value;
    __syncthreads();
  }
}

// An array that is indexed by a value: it lives in local memory.
__global__ void local_array(unsigned* out, unsigned shift) {
  unsigned values[16];
  for (unsigned i = 0; i < 16; ++i)
    values[i] = i * threadIdx.x;
  unsigned sum = 0;
  for (unsigned i = 0; i < 16; ++i)
    sum += values[(i + shift) % 16];
  out[thread_index()] = sum;
}

// 64 values alive at once, 32 registers: the rest is spilled.
__global__ void __launch_bounds__(1024, 2) spilling(const float* in, float* out) {
  float values[64];
#pragma unroll
  for (unsigned i = 0; i < 64; ++i)
    values[i] = in[threadIdx.x + i * 1024];
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < 64; ++i)
    out[(threadIdx.x + i * 1024) ^ 1] = values[i] * values[63 - i];
}

__constant__ float kTable[256];
__global__ void constant_lookup(float* out) {
  out[thread_index()] = kTable[blockIdx.x] + kTable[threadIdx.x % 4];
}

// Read positive numbers: for 0 and subnormals ptxas's square root leaves its fast way, which PTX does not
// show.
__global__ void conversions(const int* in, float* out) {
  const int value = in[thread_index()];
  out[thread_index()] =
      static_cast<float>(static_cast<double>(value) * 0.5) + sqrtf(static_cast<float>(value));
}

// Every warp stores into a sector of its own: whether stores join is the question of store_joins.cu.
__global__ void shuffle_sum(const float* in, float* out) {
  float sum = in[thread_index()];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (threadIdx.x % 32 == 0) out[thread_index() / 4] = sum;
}

// A function that is not inlined, called from two places: its code stands once.
__device__ __noinline__ float sum_of_powers(float x, int degree) {
  float sum = 0;
  for (int i = 0; i < degree; ++i)
    sum = sum * x + 1.0f;
  return sum;
}

__global__ void function_calls(const int* in, float* out, int degree) {
  const auto x = static_cast<float>(in[thread_index()]);
  out[thread_index()] = sum_of_powers(x, degree) + sum_of_powers(1 - x, degree + 1);
}

template <typename T>
__global__ void divisions(const int* in, T* out) {
  const auto x = static_cast<T>(in[thread_index()]);
  out[thread_index()] = (x + 5) / (x + 3) + 1 / x;
}

// Too large for the division of 32 bits: a routine is called.
__global__ void long_divisions(const int* in, long long* out) {
  const long long x = in[thread_index()];
  out[thread_index()] = (x << 34) / (x + 3);
}

int* counting_from_one(int count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1);
  int* array = device_array<int>(count);
  require(cudaMemcpy(array, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  return array;
}

int main() {
  auto* out = device_array<double>(1 << 18);
  auto* in = device_array<double>(1 << 18);
  auto* words = reinterpret_cast<unsigned*>(out);
  auto* floats = reinterpret_cast<float*>(out);
  fused_multiply_add<float><<<kBlocks, kThreads>>>(floats, 0.5f);
  fused_multiply_add<double><<<kBlocks, kThreads>>>(out, 0.5);
  integer_mix<<<kBlocks, kThreads>>>(words);
  divergent_halves<<<kBlocks, kThreads>>>(words, reinterpret_cast<unsigned*>(in));
  divergent_loop<<<kBlocks, kThreads>>>(words);
  barriers<<<kBlocks, kThreads>>>(words);
  local_array<<<kBlocks, kThreads>>>(words, 3);
  spilling<<<kBlocks, 1024>>>(reinterpret_cast<float*>(in), floats);
  constant_lookup<<<kBlocks, kThreads>>>(floats);
  const int* numbers = counting_from_one(kBlocks * kThreads);
  conversions<<<kBlocks, kThreads>>>(numbers, floats);
  shuffle_sum<<<kBlocks, kThreads>>>(reinterpret_cast<float*>(in), floats);
  function_calls<<<kBlocks, kThreads>>>(numbers, floats, 5);
  divisions<float><<<kBlocks, kThreads>>>(numbers, floats);
  divisions<double><<<kBlocks, kThreads>>>(numbers, out);
  long_divisions<<<kBlocks, kThreads>>>(numbers, reinterpret_cast<long long*>(out));
  finish();
}
