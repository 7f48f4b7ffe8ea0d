// When stores go to L2 together: L1 joins one that begins in the sector in which the SM's last one ended, if it comes soon
// enough. How soon, and what that means behind loads, differs from run to run; it is shown, not compared.
#include "micro_kernel.h"

constexpr int kBlocks = 32, kThreads = 256;

__device__ int thread_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// Warp w goes on w * cycles after the block's barrier.
__device__ void set_out_apart(int cycles) {
  __syncthreads();
  const long long start = clock64() + static_cast<long long>(cycles) * (threadIdx.x / 32);
  while (clock64() < start) {
  }
}

// The warps of a block store 4 bytes each, all into one sector.
template <int cycles>
__global__ void narrow_stores_apart(float* out, float value) {
  set_out_apart(cycles);
  if (threadIdx.x % 32 == 0) out[thread_index() / 32] = value;
}

// 128 bytes each, 4 bytes further: a warp's last sector is the next warp's first.
template <int cycles>
__global__ void row_stores_apart(float* out, float value) {
  set_out_apart(cycles);
  out[thread_index() + 1] = value;
}

__global__ void narrow_stores_behind_loads(const float* in, float* out) {
  const float value = in[thread_index()];
  if (threadIdx.x % 32 == 0) out[thread_index() / 32] = value;
}

__global__ void row_stores_behind_loads(const float* in, float* out) {
  out[thread_index() + 1] = in[thread_index()];
}

int main() {
  float* in = device_array<float>(kBlocks * kThreads);
  float* out = device_array<float>(kBlocks * kThreads + 1);
  narrow_stores_apart<0><<<kBlocks, kThreads>>>(out, 1);
  narrow_stores_apart<16><<<kBlocks, kThreads>>>(out, 1);
  narrow_stores_apart<32><<<kBlocks, kThreads>>>(out, 1);
  narrow_stores_apart<48><<<kBlocks, kThreads>>>(out, 1);
  narrow_stores_apart<64><<<kBlocks, kThreads>>>(out, 1);
  narrow_stores_apart<96><<<kBlocks, kThreads>>>(out, 1);
  narrow_stores_apart<128><<<kBlocks, kThreads>>>(out, 1);
  row_stores_apart<0><<<kBlocks, kThreads>>>(out, 1);
  row_stores_apart<32><<<kBlocks, kThreads>>>(out, 1);
  row_stores_apart<64><<<kBlocks, kThreads>>>(out, 1);
  row_stores_apart<128><<<kBlocks, kThreads>>>(out, 1);
  narrow_stores_behind_loads<<<kBlocks, kThreads>>>(in, out);
  row_stores_behind_loads<<<kBlocks, kThreads>>>(in, out);
  finish();
}
