// The naive kernel of global_index: one thread does everything.
#include <cuda_runtime.h>

namespace {

__global__ void store_global_index(float* out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = static_cast<float>(i);
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  store_global_index<<<1, 1, 0, stream>>>(out, n);
}
