// Scratch memory of the stream's pool; the block that is done last adds the parts.
#include "reductions.h"
__global__ void __launch_bounds__(256)
    add(const float* in, float* out, int n, float* parts, unsigned* done) {
  float v = 0;
  const float4* x = (const float4*)in;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
    const float4 f = x[i];
    v += (f.x + f.y) + (f.z + f.w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) v += in[n / 4 * 4 + threadIdx.x];
  __shared__ float w[8];
  __shared__ bool last;
  for (int d = 16; d; d /= 2)
    v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0;
    for (int i = 0; i < 8; ++i)
      s += w[i];
    parts[blockIdx.x] = s;
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  v = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 256)
    v += __ldcg(&parts[i]);
  for (int d = 16; d; d /= 2)
    v += __shfl_xor_sync(~0u, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0;
    for (int i = 0; i < 8; ++i)
      s += w[i];
    *out = s;
  }
}
extern "C" void sum(const float* in, float* out, int n, cudaStream_t s) {
  float* room;
  const int blocks = n > 4000 ? 528 : 1;
  cudaMallocAsync(&room, 4096, s);
  cudaMemsetAsync(room, 0, 256, s);
  add<<<blocks, 256, 0, s>>>(in, out, n, room + 64, (unsigned*)room);
  cudaFreeAsync(room, s);
}
