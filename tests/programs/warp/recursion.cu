// Functions that call themselves, with a different depth in every lane.
#include "check.h"

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void both(int* out) {
  int lane = static_cast<int>(threadIdx.x);
  out[lane] = lane < 16 ? fibonacci(lane) : static_cast<int>(ackermann(2, lane - 16));
}

int main() {
  check(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024), "stack");
  int *out = device_array<int>(32), host[32];
  both<<<1, 32>>>(out);
  finish("both");
  to_host(host, out, 32);
  for (int i = 0; i < 32; ++i)
    printf("%d%c", host[i], i == 31 ? '\n' : ' ');
}
