// Views, arrays and atomic references of the standard library for devices, and a concept.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/span>

#include "reductions.h"

namespace {
template <typename T>
concept Number = requires(T a, T b) {
  a + b;
};

template <Number T, size_t kCount>
__device__ T total(const cuda::std::array<T, kCount>& values) {
  T sum{};
  for (const T& value : values)
    sum += value;
  return sum;
}

__global__ void add_up(cuda::std::span<const float> in, float* out) {
  cuda::std::array<float, 4> lanes{};
  const auto vectors = cuda::std::span(reinterpret_cast<const float4*>(in.data()), in.size() / 4);
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors.size();
       i += size_t{gridDim.x} * blockDim.x) {
    const float4 v = vectors[i];
    lanes[0] += v.x, lanes[1] += v.y, lanes[2] += v.z, lanes[3] += v.w;
  }
  float sum = total(lanes);
  if (blockIdx.x == 0 && threadIdx.x < in.size() % 4) sum += in[in.size() - 1 - threadIdx.x];
  for (int d = 16; d > 0; d >>= 1)
    sum += __shfl_xor_sync(0xffffffff, sum, d);
  __shared__ float all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    cuda::atomic_ref<float, cuda::thread_scope_block>(all).fetch_add(sum,
                                                                     cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::atomic_ref<float, cuda::thread_scope_device>(*out).fetch_add(all,
                                                                       cuda::memory_order_relaxed);
}
}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const int blocks = min(n / 4096 + 1, 1056);
  add_up<<<blocks, 256, 0, stream>>>({in, static_cast<size_t>(n)}, out);
}
