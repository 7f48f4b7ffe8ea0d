// The plain product that finds_the_library.cu falls back on.
#include "multiply.cuh"

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  launch_multiply(a, b, c, m, n, k, stream);
}
