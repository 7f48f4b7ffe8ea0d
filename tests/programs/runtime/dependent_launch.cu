// Programmatic dependent launch: each kernel says when the next may start, and waits for the one before it
// where it needs its results.
#include <utility>

#include "check.h"

constexpr int kElements = 2048;

__global__ void step(const int* in, int* out, int add) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own = add * (i % 3);  // needs nothing of the kernel before
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  out[i] = in[(i + 1) % kElements] + own;
}

int main() {
  int values[kElements], next[kElements];
  for (int i = 0; i < kElements; ++i)
    values[i] = i * 3 % 101;
  int* arrays[2] = {device_array<int>(kElements), device_array<int>(kElements)};
  to_device(arrays[0], values, kElements);
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  constexpr int steps = 12;
  for (int s = 0; s < steps; ++s) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(kElements / 128);
    config.blockDim = dim3(128);
    config.stream = stream;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, step, static_cast<const int*>(arrays[s % 2]), arrays[(s + 1) % 2], s),
          "cudaLaunchKernelEx");
  }
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  int out[kElements], wrong = 0;
  to_host(out, arrays[steps % 2], kElements);
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < kElements; ++i)
      next[i] = values[(i + 1) % kElements] + s * (i % 3);
    for (int i = 0; i < kElements; ++i)
      values[i] = next[i];
  }
  for (int i = 0; i < kElements; ++i)
    wrong += out[i] != values[i];
  std::printf("%d dependent steps: %d wrong\n", steps, wrong);
}
