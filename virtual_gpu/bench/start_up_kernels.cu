// Kernels with long bodies that return at once: the program's time is that of reading and decoding
// their PTX, as in a short program that includes CUB.
#include "virtual_gpu/bench/start_up_kernels.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <utility>

namespace {

constexpr int kKernels = 64, kSteps = 48, kTileSize = 256;

template <int kNumber>
__global__ void long_body(const float* in, float* out, unsigned count) {
  __shared__ float tile[kTileSize];
  if (count == 0) return;
  float sum = kNumber;
#pragma unroll
  for (unsigned step = 0; step < kSteps; ++step) {
    const float value = in[(threadIdx.x * (2 * step + 1) + kNumber) % count];
    if (value > sum) tile[(threadIdx.x ^ step) % kTileSize] = value;
    __syncthreads();
    sum = fmaf(value, tile[(threadIdx.x + step) % kTileSize], sum);
  }
  out[threadIdx.x] = sum;
}

template <int... kNumbers>
void launch_all(std::integer_sequence<int, kNumbers...>) {
  (long_body<kNumbers><<<1, 32>>>(nullptr, nullptr, 0), ...);
}

}  // namespace

bool run_start_up_benchmark(const char* name) {
  if (std::strcmp(name, "start-up-ptx") != 0) return false;
  launch_all(std::make_integer_sequence<int, kKernels>());
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
    std::fprintf(stderr, "start-up-ptx: %s\n", cudaGetErrorString(error));
  return true;
}
