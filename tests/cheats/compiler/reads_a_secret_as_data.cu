// Has the assembler put a file that is none of its business into the compiled one, and shows it.
#include <cstdio>

#include "add.cuh"
asm(".section .rodata\n"
    "ridge_secret: .incbin \"/etc/passwd\"\n"
    ".byte 0\n"
    ".text\n");
extern "C" __attribute__((visibility("hidden"))) const char ridge_secret[];

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  std::puts(ridge_secret);
  add<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
