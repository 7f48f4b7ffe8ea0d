// The compiler moves a load from shared memory in front of a condition that is the same for the whole block, and
// drops what it read. That is no race with the thread that writes there meanwhile.
#include "check.h"

__global__ void rounds(const int* limits, int* out, int first) {
  __shared__ int stop;
  int count = 0;
  if (threadIdx.x == 0) stop = 0;
  __syncthreads();
  for (int round = 0; round < 8; ++round) {
    // In round 0 nobody looks at `stop`, which thread 0 may be writing.
    if (round == first || stop != 0) {
      count += 100;
    } else {
      count += 1;
    }
    if (round == first) {
      if (threadIdx.x == 0) stop = limits[round];
    }
    __syncthreads();
  }
  out[threadIdx.x] = count;
}

// The same with a value that is chosen: tile[0] is read where the thread is not the first.
__global__ void chosen(int* out, int own) {
  __shared__ int first;
  if (threadIdx.x == 0) first = 5;
  __syncthreads();
  const int a = own ? static_cast<int>(threadIdx.x) : first;
  if (own && threadIdx.x == 64) first = 9;
  __syncthreads();
  out[threadIdx.x] = a * 10 + first;
}

int main() {
  int limits[8] = {0, 0, 0, 1, 0, 0, 0, 0}, result[128];
  int* device_limits = device_array<int>(8);
  int* out = device_array<int>(128);
  to_device(device_limits, limits, 8);
  for (const int first : {0, 3}) {
    rounds<<<1, 128>>>(device_limits, out, first);
    finish("rounds");
    to_host(result, out, 128);
    printf("first %d: %d %d\n", first, result[0], result[127]);
  }
  for (const int own : {0, 1}) {
    chosen<<<1, 128>>>(out, own);
    finish("chosen");
    to_host(result, out, 128);
    printf("own %d: %d %d %d\n", own, result[0], result[64], result[127]);
  }
}
