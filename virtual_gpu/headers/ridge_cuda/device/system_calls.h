// The functions that the CUDA driver provides to kernels: printf, malloc, assert (PTX writer's guide, system
// calls).
#pragma once

#include <stdlib.h>

#include "ridge_cuda/qualifiers.h"

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ int printf(const char*, ...);  // clang makes a call of vprintf of it
__device__ void free(void*) __attribute__((nothrow));
__device__ void* malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char* message, const char* file, unsigned line,
                             const char* function, size_t char_bytes);
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) noexcept {
  __assertfail(message, file, line, function, sizeof(char));
}
}
