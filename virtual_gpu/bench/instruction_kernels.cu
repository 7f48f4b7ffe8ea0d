// Kernels that consist almost only of one kind of instruction: shuffles, and MMAs of three types.
// Also many small launches.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "virtual_gpu/bench/instruction_kernels.h"

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

void expect(double got, double wanted, const char* what) {
  if (std::fabs(got - wanted) <= 1e-4 * std::fabs(wanted)) return;
  std::fprintf(stderr, "%s: %g, and %g was expected\n", what, got, wanted);
  std::exit(1);
}

// A Walsh-Hadamard transform of 32 values per lane group: one shuffle for every three other
// instructions.
__global__ void hadamard(float* data, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[4];
  for (int k = 0; k < 4; ++k) values[k] = data[i * 4 + k];
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const float other = __shfl_xor_sync(~0u, values[k], distance);
        values[k] = threadIdx.x & distance ? other - values[k] : other + values[k];
      }
      values[k] *= 0.17677669529663687f;
    }
  }
  for (int k = 0; k < 4; ++k) data[i * 4 + k] = values[k];
}

void run_hadamard() {
  constexpr int blocks = 64, threads = 256, count = blocks * threads * 4;
  float* data = nullptr;
  check(cudaMalloc(&data, count * sizeof(float)), "cudaMalloc");
  float* host = static_cast<float*>(std::malloc(count * sizeof(float)));
  for (int i = 0; i < count; ++i) host[i] = static_cast<float>(i % 17 + 1);
  check(cudaMemcpy(data, host, count * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  hadamard<<<blocks, threads>>>(data, 400);  // an even number of rounds restores the values
  check(cudaDeviceSynchronize(), "hadamard");
  float last = 0;
  check(cudaMemcpy(&last, data + count - 1, sizeof last, cudaMemcpyDeviceToHost), "cudaMemcpy");
  expect(last, host[count - 1], "hadamard");
  std::free(host);
}

constexpr int kMmas = 8, kRounds = 400;

// All factors are 1, so that each MMA adds its depth.
__global__ void mma_bf16(float* out) {
  float d[kMmas][4] = {};
  const unsigned ones = 0x3f803f80u;
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int m = 0; m < kMmas; ++m)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                   : "+f"(d[m][0]), "+f"(d[m][1]), "+f"(d[m][2]), "+f"(d[m][3])
                   : "r"(ones));
  }
  float sum = 0;
  for (auto& tile : d) sum += tile[0];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void mma_int8(float* out) {
  int d[kMmas][4] = {};
  const unsigned ones = 0x01010101u;
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int m = 0; m < kMmas; ++m)
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                   : "+r"(d[m][0]), "+r"(d[m][1]), "+r"(d[m][2]), "+r"(d[m][3])
                   : "r"(ones));
  }
  int sum = 0;
  for (auto& tile : d) sum += tile[0];
  out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<float>(sum);
}

__global__ void mma_f64(float* out) {
  double d[kMmas][4] = {};
  const double one = 1;
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int m = 0; m < kMmas; ++m)
      asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};"
                   : "+d"(d[m][0]), "+d"(d[m][1]), "+d"(d[m][2]), "+d"(d[m][3])
                   : "d"(one));
  }
  double sum = 0;
  for (auto& tile : d) sum += tile[0];
  out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<float>(sum);
}

void run_mma(void (*kernel)(float*), int depth) {
  constexpr int blocks = 16, threads = 128;
  float* out = nullptr;
  check(cudaMalloc(&out, blocks * threads * sizeof(float)), "cudaMalloc");
  kernel<<<blocks, threads>>>(out);
  check(cudaDeviceSynchronize(), "mma");
  float first = 0;
  check(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost), "cudaMemcpy");
  expect(first, static_cast<double>(depth) * kMmas * kRounds, "mma");
}

__global__ void step(float* data, float value) { data[threadIdx.x] = data[threadIdx.x] * 0.5f + value; }

void run_launches() {
  float* data = nullptr;
  check(cudaMalloc(&data, 128 * sizeof(float)), "cudaMalloc");
  check(cudaMemset(data, 0, 128 * sizeof(float)), "cudaMemset");
  for (int i = 0; i < 10'000; ++i) step<<<1, 128>>>(data, 1);
  check(cudaDeviceSynchronize(), "launches");
  float first = 0;
  check(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost), "cudaMemcpy");
  expect(first, 2, "launches");
}

}  // namespace

bool run_instruction_benchmark(const char* name) {
  if (!std::strcmp(name, "hadamard-shuffle"))
    run_hadamard();
  else if (!std::strcmp(name, "mma-bf16"))
    run_mma(mma_bf16, 16);
  else if (!std::strcmp(name, "mma-int8"))
    run_mma(mma_int8, 32);
  else if (!std::strcmp(name, "mma-f64"))
    run_mma(mma_f64, 4);
  else if (!std::strcmp(name, "launches-10k"))
    run_launches();
  else
    return false;
  return true;
}
