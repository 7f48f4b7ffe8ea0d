// printf from the device: formats, several threads in order of one warp, and its place among the host's
// output.
#include "check.h"

__global__ void hello(int year, double ratio, const char* word) {
  printf("block %d thread %u of %s\n", blockIdx.x, threadIdx.x, "device");
  if (threadIdx.x == 0)
    printf("%5d|%-5d|%05x|%8.3f|%c|%%|%lld\n", year, year, 255u, ratio, 'z', -1234567890123ll);
}

int main() {
  printf("before\n");
  hello<<<1, 4>>>(2026, 3.14159, nullptr);
  finish("hello");
  printf("after\n");
}
