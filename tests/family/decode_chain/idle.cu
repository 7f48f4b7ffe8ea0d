// Plain launches with idle work between them: empty kernels, which make no step cheaper.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256, kMostWidth = 65536;

__device__ float rows[2][kMostWidth];  // [row][element]

__global__ void begin_token(const float* token, const float* previous, int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < width) rows[0][i] = token[i] + (previous == nullptr ? 0 : 0.5f * previous[i]);
}

__global__ void mix_layer(const float* weights, float* out, int layer, int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float* const x = rows[layer % 2];
  float* const y = out == nullptr ? rows[(layer + 1) % 2] : out;
  if (i < width) y[i] = 0.5f * (x[i] + weights[i] * x[(i + 97 * (layer + 1)) % width]);
}

__global__ void nothing() {}

}  // namespace

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count, int layers, int width,
                             cudaStream_t stream) {
  const int blocks = (width + kThreads - 1) / kThreads;
  for (int64_t t = 0; t < count; ++t) {
    begin_token<<<blocks, kThreads, 0, stream>>>(tokens + t * width, t == 0 ? nullptr : out + (t - 1) * width, width);
    for (int layer = 0; layer < layers; ++layer) {
      nothing<<<1, 32, 0, stream>>>();
      mix_layer<<<blocks, kThreads, 0, stream>>>(weights + static_cast<int64_t>(layer) * width,
                                                 layer == layers - 1 ? out + t * width : nullptr, layer, width);
    }
  }
}
