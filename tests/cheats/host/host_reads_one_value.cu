// Looks at one input on the host to choose a way.
#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const float* middle = a + n / 2;
  const bool large = *middle > 100;
  add<<<blocks_for(n), kThreads, 0, stream>>>(large ? b : a, large ? a : b, c, n);
}
