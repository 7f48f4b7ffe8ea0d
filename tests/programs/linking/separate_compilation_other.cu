#include "separate_compilation.h"

namespace {
__device__ int own = 100;
}
__device__ int table[3] = {10, 20, 30};

__device__ int other_file(int x) {
  return x * own;
}
