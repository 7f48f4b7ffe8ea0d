// Dynamic shared memory beside a static array, over 48 KB after asking, and the codes for asking too much.
#include "check.h"

extern __shared__ int dynamic_words[];

__global__ void reverse(int* data, int n) {
  __shared__ int offset;
  if (threadIdx.x == 0) offset = n == 256 ? 1000 : n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    dynamic_words[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = dynamic_words[n - 1 - i] + offset;
}

int main() {
  constexpr int n = 50 * 256;  // 51,200 bytes
  static int host[n];
  for (int i = 0; i < n; ++i)
    host[i] = i;
  int* data = device_array<int>(n);
  to_device(data, host, n);

  reverse<<<1, 128, 1024>>>(data, 256);
  finish("small");
  to_host(host, data, 256);
  printf("%d %d\n", host[0], host[255]);

  reverse<<<1, 128, n * sizeof(int)>>>(data, n);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  check(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int)),
        "attribute");
  reverse<<<1, 128, n * sizeof(int)>>>(data, n);
  finish("large");
  to_host(host, data, n);
  printf("%d %d %d\n", host[0], host[n - 1], host[n - 256]);
  printf("%s\n", cudaGetErrorName(
                     cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024)));
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, reverse), "attributes");
  printf("dynamic %d static %zu\n", attributes.maxDynamicSharedSizeBytes, attributes.sharedSizeBytes);
}
