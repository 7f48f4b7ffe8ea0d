// Memory faults: an address that nothing is mapped at, a misaligned one, a trap; each in a process of its
// own, since a fault ends what a process can do with the device.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void write_at(char* data, size_t offset) {
  *reinterpret_cast<int*>(data + offset) = 1;
}
__global__ void trap() {
  __trap();
}

template <typename Launch>
void show(const char* what, Launch launch) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    launch();
    cudaError_t at_launch = cudaGetLastError();
    cudaError_t at_wait = cudaDeviceSynchronize();
    void* pointer = nullptr;
    printf("%s: %s, %s, then %s\n", what, cudaGetErrorName(at_launch), cudaGetErrorName(at_wait),
           cudaGetErrorName(cudaMalloc(&pointer, 4)));
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

int main() {
  show("far past the end", [] { write_at<<<1, 1>>>(device_array<char>(64), size_t{1} << 44); });
  show("null", [] { write_at<<<1, 1>>>(nullptr, 0); });
  show("misaligned", [] { write_at<<<1, 1>>>(device_array<char>(64), 2); });
  show("trap", [] { trap<<<1, 1>>>(); });
  show("nothing wrong", [] { write_at<<<1, 1>>>(device_array<char>(64), 60); });
}
