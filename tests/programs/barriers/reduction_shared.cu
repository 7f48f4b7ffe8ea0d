// A tree reduction in shared memory, then the warps' last steps by shuffle, with a size that is no power of
// two.
#include <vector>

#include "check.h"

__global__ void reduce(const int* in, int* out, int n) {
  __shared__ int partial[256];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride >= 32; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    int value = partial[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
      value += __shfl_down_sync(0xffffffffu, value, offset);
    if (threadIdx.x == 0) atomicAdd(out, value);
  }
}

int main() {
  constexpr int n = 123457;
  std::vector<int> data(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i)
    expected += data[i] = i % 1000 - 300;
  int *in = device_array<int>(n), *out = device_array<int>(1);
  to_device(in, data.data(), n);
  check(cudaMemset(out, 0, sizeof(int)), "cudaMemset");
  reduce<<<37, 256>>>(in, out, n);
  finish("reduce");
  int sum = 0;
  to_host(&sum, out, 1);
  printf("sum %d expected %lld\n", sum, expected);
}
