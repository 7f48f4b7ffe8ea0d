// Memory of one device's pool that cudaMemPoolSetAccess opens to another device (on the virtual GPU RIDGE_DEVICES=2,
// which this program asks for itself; elsewhere two GPUs with peer access).
#include "check.h"

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

cudaMemAccessFlags access_of(cudaMemPool_t pool, int device) {
  cudaMemLocation location{};
  location.type = cudaMemLocationTypeDevice;
  location.id = device;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  check(cudaMemPoolGetAccess(&flags, pool, &location), "get access");
  return flags;
}

int main() {
  setenv("RIDGE_DEVICES", "2", 0);
  int count = 0;
  check(cudaGetDeviceCount(&count), "count");
  if (count < 2) {
    printf("this program needs two devices\n");
    return 1;
  }
  cudaMemPool_t pool;
  check(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
  printf("before: %d %d\n", access_of(pool, 0), access_of(pool, 1));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 1;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  check(cudaMemPoolSetAccess(pool, &access, 1), "set access");
  printf("after: %d %d\n", access_of(pool, 0), access_of(pool, 1));
  void* memory = nullptr;
  check(cudaMallocAsync(&memory, 32 * sizeof(int), nullptr), "allocate");
  int* data = static_cast<int*>(memory);
  check(cudaMemsetAsync(data, 0, 32 * sizeof(int), nullptr), "memset");
  add<<<1, 32>>>(data, 3);
  finish("device 0");
  check(cudaSetDevice(1), "device 1");
  add<<<1, 32>>>(data, 4);
  finish("device 1");
  check(cudaSetDevice(0), "device 0");
  int host[32];
  to_host(host, data, 32);
  printf("sum %d\n", host[31]);
  check(cudaFreeAsync(memory, nullptr), "free");
  finish("free");
}
