// __constant__ and __device__ variables: initial values, copies by symbol, addresses, pointers in
// initialisers.
#include "check.h"

__constant__ float weights[4] = {1.0f, 0.5f, 0.25f, 0.125f};
__constant__ int bias;
__device__ int counters[8] = {10, 20, 30};
__device__ double zeroed[2];
__device__ int* middle = &counters[1];

__global__ void evaluate(float* out) {
  int i = threadIdx.x;
  float sum = static_cast<float>(bias);
  for (int k = 0; k < 4; ++k)
    sum += weights[k] * static_cast<float>(i + k);
  out[i] = sum;
  counters[i] += i;
  if (i == 0) zeroed[1] += *middle;
}

int main() {
  int new_bias = 100;
  check(cudaMemcpyToSymbol(bias, &new_bias, sizeof new_bias), "to bias");
  float* out = device_array<float>(4);
  evaluate<<<1, 4>>>(out);
  finish("evaluate");
  float sums[4];
  to_host(sums, out, 4);
  printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
  int counted[8];
  check(cudaMemcpyFromSymbol(counted, counters, sizeof counted), "from counters");
  printf("%d %d %d %d %d\n", counted[0], counted[1], counted[2], counted[3], counted[7]);
  double z[2];
  check(cudaMemcpyFromSymbol(z, zeroed, sizeof z), "from zeroed");
  printf("%g %d\n", z[0], z[1] >= 20 && z[1] <= 21);

  float two = 2;
  check(cudaMemcpyToSymbol(weights, &two, sizeof two, 3 * sizeof(float)), "to weights[3]");
  size_t bytes = 0;
  void* address = nullptr;
  check(cudaGetSymbolSize(&bytes, weights), "size");
  check(cudaGetSymbolAddress(&address, counters), "address");
  int third = 0;
  check(cudaMemcpy(&third, static_cast<int*>(address) + 2, sizeof third, cudaMemcpyDeviceToHost),
        "by address");
  evaluate<<<1, 4>>>(out);
  finish("evaluate");
  to_host(sums, out, 4);
  printf("%zu bytes, counter %d, %g\n", bytes, third, sums[1]);
  printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(bias, counted, sizeof counted)));
  static int host_only;
  printf("%s\n", cudaGetErrorName(cudaGetSymbolSize(&bytes, host_only)));
}
