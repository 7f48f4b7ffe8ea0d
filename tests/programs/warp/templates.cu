// Kernels from templates, functors and lambdas: mangled names, several instances of one kernel.
#include "check.h"

template <typename T, int kFactor>
__global__ void scale(T* data, int n) {
  int i = threadIdx.x;
  if (i < n) data[i] = data[i] * static_cast<T>(kFactor);
}

struct Square {
  template <typename T>
  __device__ T operator()(T x) const {
    return x * x;
  }
};

template <typename T, typename Function>
__global__ void apply(T* data, int n, Function function) {
  int i = threadIdx.x;
  if (i < n) data[i] = function(data[i]);
}

template <typename T>
void show(const char* name, T* device, int n) {
  T host[8];
  to_host(host, device, n);
  printf("%s:", name);
  for (int i = 0; i < n; ++i)
    printf(" %g", static_cast<double>(host[i]));
  printf("\n");
}

template <typename T>
void run(const char* name) {
  constexpr int n = 8;
  T host[n];
  for (int i = 0; i < n; ++i)
    host[i] = static_cast<T>(i + 1);
  T* device = device_array<T>(n);
  to_device(device, host, n);
  scale<T, 3><<<1, 32>>>(device, n);
  scale<T, -1><<<1, 32>>>(device, n);
  finish(name);
  show(name, device, n);
  apply<<<1, 32>>>(device, n, Square{});
  T shift = static_cast<T>(10);
  apply<<<1, 32>>>(device, n, [shift] __device__(T x) { return x - shift; });
  finish(name);
  show(name, device, n);
}

int main() {
  run<int>("int");
  run<float>("float");
  run<double>("double");
  run<short>("short");
}
