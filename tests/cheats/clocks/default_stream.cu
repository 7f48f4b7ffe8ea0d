// The legacy default stream, which does not wait for a non-blocking one, in place of the given one.
#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add<<<blocks_for(n), kThreads>>>(a, b, c, n);
}
