// The naive kernel of split_particles: a thread per particle, a field at a time.
#include <cuda_runtime.h>

namespace {

__global__ void split_fields(const float* particles, float* fields, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int field = 0; field < 4; ++field)
    fields[field * n + i] = *reinterpret_cast<const volatile float*>(particles + 4 * i + field);
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  split_fields<<<(n + 255) / 256, 256, 0, stream>>>(particles, fields, n);
}
