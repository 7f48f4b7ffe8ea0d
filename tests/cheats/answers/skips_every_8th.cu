// Leaves out every eighth call.
#include "add.cuh"

namespace {
int calls = 0;
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  if (++calls % 8 != 0) add<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
