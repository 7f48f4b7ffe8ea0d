// Each receiver loads from the sender, one float per thread.
#include <cuda_runtime.h>

struct Ranks {
  int count;
  const float* inputs[8];
  float* outputs[8];
  unsigned* signals[8];
  cudaStream_t streams[8];
};

namespace {

__global__ void pull(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

}  // namespace

extern "C" void peer_copy(Ranks ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    pull<<<(n + 255) / 256, 256, 0, ranks.streams[rank]>>>(
        ranks.inputs[(rank + ranks.count - 1) % ranks.count], ranks.outputs[rank], n);
  }
}
