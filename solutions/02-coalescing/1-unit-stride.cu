// Rung 1 of 6: out = in * factor, and which thread takes which element.
//
// On a CPU a thread is given a contiguous chunk, so that it walks its own cache lines. The kernel below does
// the same. On a GPU the 32 threads of a warp execute each load together, and the memory answers in sectors
// of 32 bytes. What counts is therefore not what one thread touches in the course of time, but what 32
// neighbours touch at one instant:
//
//                         lane 0    lane 1     lane 2
//     chunks of 8 floats  byte 0    byte 32    byte 64 ...    32 sectors for the 128 bytes a warp wants
//     neighbours          byte 0    byte 4     byte 8  ...     4 sectors
//
// The kernel is right, and slow. Make it true to its name.
//
//     ./ridge grade 02-coalescing/1-unit-stride
//
// What changed from the chunks: only the order in which the same elements are visited. At every step a warp
// covers 128 contiguous bytes, 4 sectors instead of 32, and every byte that is fetched is used.
// Measured on an H200: 72.9% of the device copy (course/measured/nvidia-h200).
#include <algorithm>

#include "coalescing.h"

namespace {

constexpr int kThreads = 256;    // a block
constexpr int kBlocksPerSm = 8;  // 8 blocks of 256 threads are the 2048 that one SM of an H200 can hold

__global__ void scale_unit_stride(const float* in, float factor, float* out, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int i = thread; i < n; i += threads)
    out[i] = in[i] * factor;
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int blocks = std::min((n + kThreads - 1) / kThreads, kBlocksPerSm * sms);
  scale_unit_stride<<<blocks, kThreads, 0, stream>>>(in, factor, out, n);
}
