// Lab 11: kernels that begin under the one ahead of them in their stream (lab 12, rung 3).
#pragma once

#include <cuda_runtime.h>

// Launches a kernel that may begin before the work ahead of it in the stream has ended. It calls
// cudaGridDependencySynchronize() before it loads or stores anything.
template <typename... Parameters, typename... Arguments>
void launch_early(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream,
                  Arguments... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

// Fetches the line of an address into this device's L2. No value is read, so it may be called while
// others still write there.
__device__ inline void fetch_line(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}
