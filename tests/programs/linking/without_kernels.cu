// A program that has no kernel of its own: only calls of the runtime.
#include "check.h"

int main() {
  int* data = device_array<int>(256);
  int host[256];
  check(cudaMemset(data, 0x11, 256 * sizeof(int)), "memset");
  to_host(host, data, 256);
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "count");
  printf("%#x %#x, a device: %d\n", host[0], host[255], devices > 0);
}
