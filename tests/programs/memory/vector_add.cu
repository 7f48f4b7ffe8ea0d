// The first program of everybody, with a size that is no multiple of the block.
#include <vector>

#include "check.h"

__global__ void add(const float* a, const float* b, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  constexpr int n = 100001;
  std::vector<float> a(n), b(n), sum(n);
  for (int i = 0; i < n; ++i)
    a[i] = 0.5f * i, b[i] = 100.0f - i;
  float *da = device_array<float>(n), *db = device_array<float>(n), *dsum = device_array<float>(n);
  to_device(da, a.data(), n);
  to_device(db, b.data(), n);
  add<<<(n + 255) / 256, 256>>>(da, db, dsum, n);
  finish("add");
  to_host(sum.data(), dsum, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += sum[i] != a[i] + b[i];
  printf("wrong %d first %.1f last %.1f\n", wrong, sum[0], sum[n - 1]);
  check(cudaFree(da), "cudaFree");
  check(cudaFree(db), "cudaFree");
  check(cudaFree(dsum), "cudaFree");
}
