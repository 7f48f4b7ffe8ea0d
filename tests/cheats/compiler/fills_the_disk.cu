// Has the assembler write gigabytes.
#include "add.cuh"

asm(".data\n.fill 0x40000000, 1, 0\n.text");

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
