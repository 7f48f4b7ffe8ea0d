// Every rank loads all inputs and adds them.
#include <cuda_runtime.h>

struct Ranks {
  int count;
  const float* inputs[8];
  float* outputs[8];
  unsigned* signals[8];
  cudaStream_t streams[8];
};

namespace {

__global__ void add_all(Ranks ranks, int rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int other = 0; other < ranks.count; ++other)
    sum += ranks.inputs[other][i];
  ranks.outputs[rank][i] = sum;
}

}  // namespace

extern "C" void all_reduce(Ranks ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    add_all<<<(n + 255) / 256, 256, 0, ranks.streams[rank]>>>(ranks, rank, n);
  }
}
