// Every rank loads all that it needs from all others.
#include <cuda_runtime.h>

struct Ranks {
  int count;
  const float* inputs[8];
  float* outputs[8];
  unsigned* signals[8];
  cudaStream_t streams[8];
};

namespace {

__global__ void gather_all(Ranks gather, int rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int other = 0; other < gather.count; ++other)
    gather.outputs[rank][static_cast<size_t>(other) * n + i] = gather.inputs[other][i];
}

__global__ void add_all(Ranks scatter, int rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int other = 0; other < scatter.count; ++other)
    sum += scatter.inputs[other][static_cast<size_t>(rank) * n + i];
  scatter.outputs[rank][i] = sum;
}

}  // namespace

extern "C" void gather_and_scatter(Ranks gather, Ranks scatter, int n) {
  for (int rank = 0; rank < gather.count; ++rank) {
    cudaSetDevice(rank);
    gather_all<<<(n + 255) / 256, 256, 0, gather.streams[rank]>>>(gather, rank, n);
    add_all<<<(n + 255) / 256, 256, 0, scatter.streams[rank]>>>(scatter, rank, n);
  }
}
