// Threads that have exited count as arrived at the barriers of their block (PTX ISA, exit): whole warps without
// work return before __syncthreads, and single lanes do. What they wrote before is visible behind the barrier.
#include "check.h"

__global__ void sums_of_rows(const int* in, int* out, int columns) {
  __shared__ int partial[4];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) partial[warp] = 0;
  if (warp * 32 >= columns) return;  // a warp without columns
  int v = threadIdx.x < columns ? in[blockIdx.x * columns + threadIdx.x] : 0;
  for (int distance = 16; distance > 0; distance /= 2)
    v += __shfl_down_sync(~0u, v, distance);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
}

// Single lanes return; the others meet twice. The last element was written by a thread that had exited.
__global__ void reversed(const int* in, int* out, int n) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x >= n) return;
  __syncthreads();
  const int mine = tile[127 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = mine;
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int host[512], result[128];
  for (int i = 0; i < 512; ++i)
    host[i] = i * 7 % 50;
  int* in = device_array<int>(512);
  int* out = device_array<int>(128);
  to_device(in, host, 512);
  for (const int columns : {1, 32, 33, 70, 128}) {
    sums_of_rows<<<4, 128>>>(in, out, columns);
    finish("sums_of_rows");
    to_host(result, out, 4);
    printf("%d columns: %d %d %d %d\n", columns, result[0], result[1], result[2], result[3]);
  }
  reversed<<<1, 128>>>(in, out, 100);
  finish("reversed");
  to_host(result, out, 100);
  int wrong = 0;
  for (int i = 0; i < 100; ++i)
    wrong += result[i] != host[127 - i];
  printf("%d of 100 reversed elements are wrong\n", wrong);
}
