// The naive kernels of radix_sort: a bitonic network in global memory, one kernel per step.
#include <cuda_runtime.h>

namespace {

__device__ float keys[1 << 22];  // [size], the elements and infinities

__global__ void fill(const float* in, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) keys[i] = i < n ? in[i] : __int_as_float(0x7f800000);
}

__global__ void exchange(int size, int length, int distance) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= size / 2) return;
  const int low = pair / distance * 2 * distance + pair % distance, high = low + distance;
  const float a = keys[low], b = keys[high];
  if ((a > b) == ((low & length) == 0)) keys[low] = b, keys[high] = a;
}

__global__ void store(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = keys[i];
}

}  // namespace

extern "C" void radix_sort(const float* in, float* out, int n, cudaStream_t stream) {
  int size = 1;
  while (size < n)
    size *= 2;
  fill<<<(size + 255) / 256, 256, 0, stream>>>(in, n, size);
  for (int length = 2; length <= size; length *= 2)
    for (int distance = length / 2; distance > 0; distance /= 2)
      exchange<<<(size / 2 + 255) / 256, 256, 0, stream>>>(size, length, distance);
  store<<<(n + 255) / 256, 256, 0, stream>>>(out, n);
}
