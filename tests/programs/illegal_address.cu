// Memory faults: past the end, freed memory, a misaligned address; each in a device made new by
// cudaDeviceReset.
#include "check.h"

__global__ void write_at(char* data, size_t offset) {
  *reinterpret_cast<int*>(data + offset) = 1;
}
__global__ void trap() {
  __trap();
}

template <typename Launch>
void show(const char* what, Launch launch) {
  launch();
  cudaError_t at_launch = cudaGetLastError();
  cudaError_t at_wait = cudaDeviceSynchronize();
  void* pointer = nullptr;
  printf("%s: %s, %s, then %s\n", what, cudaGetErrorName(at_launch), cudaGetErrorName(at_wait),
         cudaGetErrorName(cudaMalloc(&pointer, 4)));
  check(cudaDeviceReset(), "cudaDeviceReset");
  check(cudaMalloc(&pointer, 4), "cudaMalloc after reset");
}

int main() {
  show("past the end", [] { write_at<<<1, 1>>>(device_array<char>(64), 64); });
  show("freed", [] {
    char* data = device_array<char>(64);
    check(cudaFree(data), "cudaFree");
    write_at<<<1, 1>>>(data, 0);
  });
  show("null", [] { write_at<<<1, 1>>>(nullptr, 0); });
  static int host_variable;
  show("host memory", [] { write_at<<<1, 1>>>(reinterpret_cast<char*>(&host_variable), 0); });
  show("misaligned", [] { write_at<<<1, 1>>>(device_array<char>(64), 2); });
  show("trap", [] { trap<<<1, 1>>>(); });
  show("nothing wrong", [] { write_at<<<1, 1>>>(device_array<char>(64), 60); });
}
