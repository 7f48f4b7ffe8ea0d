// A tile without padding, read through its address in the cluster's window.
#include "coalescing.h"

namespace {
__device__ float load_own(const float* at) {
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(at)), mapped;
  float value;
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(mapped) : "r"(address));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(mapped) : "memory");
  return value;
}
__global__ void transpose_tile(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  const int col = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (blockIdx.y * 32 + k < rows && col < cols)
      tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * cols + col];
  __syncthreads();
  const int row = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (blockIdx.x * 32 + k < cols && row < rows)
      out[(blockIdx.x * 32 + k) * rows + row] = load_own(&tile[threadIdx.x][k]);
}
}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  transpose_tile<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream>>>(in, out,
                                                                                       rows, cols);
}
