// The naive kernel of copy_matrix: 16 bytes per thread, by loads and stores.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

__global__ void copy_by_threads(const uint4* in, uint4* out, int64_t vectors) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < vectors) out[i] = in[i];
}

}  // namespace

extern "C" void copy_matrix(const __nv_bfloat16* in, __nv_bfloat16* out, int rows, int cols, cudaStream_t stream) {
  const int64_t vectors = static_cast<int64_t>(rows) * cols / 8;
  copy_by_threads<<<static_cast<int>((vectors + 255) / 256), 256, 0, stream>>>(
      reinterpret_cast<const uint4*>(in), reinterpret_cast<uint4*>(out), vectors);
}
