// Sets the variable that turns the checks off, and writes out of bounds.
#include <cstdlib>

#include "add.cuh"

namespace {
struct Setter {
  Setter() { setenv("RIDGE_CHECKS", "none", 1); }
} setter;
__global__ void add_without_guard(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add_without_guard<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
