// The naive kernels of top_k: the k-th largest by bisection of its 32 bits, with all elements read
// for each bit, then the larger ones gathered and sorted by one thread per element.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

__device__ int count, chosen;
__device__ uint32_t kth;
__device__ float found[2048];

__device__ uint32_t key_of(float x) {
  const uint32_t bits = __float_as_uint(x);
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

__global__ void begin() {
  kth = 0, count = 0, chosen = 0;
}

__global__ void count_from(const float* in, int n, int bit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && key_of(in[i]) >= (kth | 1u << bit)) atomicAdd(&count, 1);
}

__global__ void decide(int k, int bit) {
  if (count >= k) kth |= 1u << bit;
  count = 0;
}

__global__ void gather(const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && key_of(in[i]) > kth) found[atomicAdd(&chosen, 1)] = in[i];
}

__global__ void place(float* out, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= k) return;
  if (i >= chosen) {
    out[i] = __uint_as_float(kth ^ (kth >> 31 ? 0x80000000u : 0xffffffffu));
    return;
  }
  int before = 0;
  for (int j = 0; j < chosen; ++j)
    before += found[j] > found[i] || (found[j] == found[i] && j < i);
  out[before] = found[i];
}

}  // namespace

extern "C" void top_k(const float* in, float* out, int n, int k, cudaStream_t stream) {
  const int blocks = (n + 255) / 256;
  begin<<<1, 1, 0, stream>>>();
  for (int bit = 31; bit >= 0; --bit) {
    count_from<<<blocks, 256, 0, stream>>>(in, n, bit);
    decide<<<1, 1, 0, stream>>>(k, bit);
  }
  gather<<<blocks, 256, 0, stream>>>(in, n);
  place<<<(k + 255) / 256, 256, 0, stream>>>(out, k);
}
