// expect: SLOW
// Every element is counted with an atomic on global memory.
#include "transfer.h"

namespace {

__global__ void count_each(const int* in, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[in[i]], 1);
}

}  // namespace

extern "C" void histogram(const int* in, int* counts, int n, int bins, cudaStream_t stream) {
  cudaMemsetAsync(counts, 0, bins * sizeof(int), stream);
  count_each<<<(n + 255) / 256, 256, 0, stream>>>(in, counts, n);
}
