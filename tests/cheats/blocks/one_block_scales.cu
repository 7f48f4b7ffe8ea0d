// One block goes over the whole array.
#include "coalescing.h"

namespace {

constexpr int kThreads = 1024;

__global__ void __launch_bounds__(kThreads)
    scale_all(const float* in, float factor, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += kThreads)
    out[i] = factor * in[i];
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  scale_all<<<1, kThreads, 0, stream>>>(in, factor, out, n);
}
