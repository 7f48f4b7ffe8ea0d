// cub::BlockReduce, and kernels until one sum is left.
#include <cub/cub.cuh>

#include "reductions.h"
__device__ float parts[1 << 20];
template <int T>
__global__ void part(const float* in, float* to, int n) {
  using R = cub::BlockReduce<float, T>;
  __shared__ typename R::TempStorage room;
  const long long i = (long long)blockIdx.x * T * 4 + threadIdx.x;
  float v = 0;
  for (int k = 0; k < 4; ++k)
    if (i + k * T < n) v += in[i + k * T];
  v = R(room).Sum(v);
  if (threadIdx.x == 0) to[blockIdx.x] = v;
}
extern "C" void sum(const float* in, float* out, int n, cudaStream_t s) {
  float* p;
  cudaGetSymbolAddress((void**)&p, parts);
  int b = (n + 1023) / 1024;
  part<256><<<b, 256, 0, s>>>(in, b == 1 ? out : p, n);
  float* q = p + (1 << 19);
  while (b > 1) {
    const int next = (b + 1023) / 1024;
    part<256><<<next, 256, 0, s>>>(p, next == 1 ? out : q, b);
    b = next;
    float* z = p;
    p = q;
    q = z;
  }
}
