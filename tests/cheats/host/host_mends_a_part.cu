// A kernel that does most, and a host loop for the rest.
#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int most = n - n / 8;
  add<<<blocks_for(most), kThreads, 0, stream>>>(a, b, c, most);
  cudaStreamSynchronize(stream);
  for (int i = most; i < n; ++i)
    c[i] = a[i] + b[i];
}
