// Device code in two files, linked by nvcc -rdc=true: a function, a variable and names that both files have.
#include "check.h"
#include "separate_compilation.h"

namespace {
__device__ int own = 1;
}
__constant__ int offset = 7;

__global__ void combine(int* out) {
  out[threadIdx.x] = other_file(static_cast<int>(threadIdx.x)) + own + table[1] + offset;
}

int main() {
  int *out = device_array<int>(4), host[4];
  combine<<<1, 4>>>(out);
  finish("combine");
  to_host(host, out, 4);
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
}
