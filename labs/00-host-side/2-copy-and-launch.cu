// A whole program: allocate, copy, launch, copy back, free.
//
// The arrays that you get are in host memory, where no kernel can read or write. The work of every
// GPU program is therefore:
//
//     1. allocate   cudaMalloc(&pointer, bytes)            pointer is then a device address
//     2. copy in    cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)
//     3. launch     kernel<<<blocks, threads>>>(device pointers)
//     4. copy out   cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost)
//     5. free       cudaFree(pointer)
//
// Two sorts of calls take part. A launch returns at once: the GPU does the work later. cudaMemcpy
// waits for all work before it, copies, and returns when it has copied. So the copy in step 4 sees
// what the kernel has written, although nothing between them waits.
//
// Bytes, not elements: an array of n floats has n * sizeof(float) bytes. A pointer to device memory
// looks like any other (its type says nothing); the host must not use it, and a kernel must not use
// a host pointer.
//
//     ./ridge grade 00-host-side/2-copy-and-launch
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void add_on_gpu(const float* a, const float* b, float* c, int n) {
  // TODO (about 12 lines): allocate device memory for a, b and c, copy a and b there, launch `add`
  // with the device pointers, copy the result to c, and free what you allocated.
}
