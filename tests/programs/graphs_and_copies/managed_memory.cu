// Memory that host and device share: cudaMallocManaged, __managed__ variables, mapped and registered host
// memory.
#include <vector>

#include "check.h"

__managed__ int shared_total = 5;
__managed__ float shared_table[4] = {1, 2, 3, 4};

__global__ void work(int* data, int n) {
  int i = threadIdx.x;
  if (i < n) data[i] *= 2;
  if (i < 4) shared_table[i] += 0.5f;
  __syncthreads();
  if (i == 0) {
    for (int k = 0; k < n; ++k)
      shared_total += data[k];
  }
}

int main() {
  constexpr int n = 16;
  shared_total += 1000;  // the host touches it before any launch
  int* data = nullptr;
  check(cudaMallocManaged(&data, n * sizeof(int)), "cudaMallocManaged");
  for (int i = 0; i < n; ++i)
    data[i] = i;
  cudaMemLocation where{};
  where.type = cudaMemLocationTypeDevice;
  check(cudaMemPrefetchAsync(data, n * sizeof(int), where, 0), "prefetch");
  work<<<1, 32>>>(data, n);
  finish("work");
  printf("%d %d %d %g %g\n", data[1], data[15], shared_total, shared_table[0], shared_table[3]);
  cudaPointerAttributes attributes;
  check(cudaPointerGetAttributes(&attributes, data), "attributes");
  printf("managed: %d\n", attributes.type == cudaMemoryTypeManaged);

  int* mapped = nullptr;
  check(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped), "cudaHostAlloc");
  for (int i = 0; i < n; ++i)
    mapped[i] = 100 + i;
  int* seen_by_device = nullptr;
  check(cudaHostGetDevicePointer(&seen_by_device, mapped, 0), "device pointer");
  work<<<1, 32>>>(seen_by_device, n);
  finish("mapped");
  printf("%d %d\n", mapped[0], mapped[15]);

  std::vector<int> own(n, 3);
  check(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterDefault), "register");
  work<<<1, 32>>>(own.data(), n);
  finish("registered");
  check(cudaHostUnregister(own.data()), "unregister");
  printf("%d %s\n", own[7], cudaGetErrorName(cudaHostUnregister(own.data())));
  check(cudaFree(data), "free");
  check(cudaFreeHost(mapped), "free host");
}
