// Every rank loads the rows of all ranks that its part needs, one element of the result per thread.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

struct GemmRanks {
  int count;
  const __nv_bfloat16* a[8];
  const __nv_bfloat16* b[8];
  __nv_bfloat16* c[8];
  unsigned* signals[8];
  cudaStream_t streams[8];
};

namespace {

__global__ void multiply_all(GemmRanks ranks, int rank, int rows, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= n) return;
  float sum = 0;
  for (int from = 0; from < ranks.count; ++from) {
    const __nv_bfloat16* const a = ranks.a[from] + static_cast<size_t>(rank * rows + row) * k;
    const __nv_bfloat16* const b = ranks.b[from] + static_cast<size_t>(col) * k;
    for (int p = 0; p < k; p += 8) {  // 16 bytes at a time: the virtual GPU executes it in seconds
      const uint4 of_a = *reinterpret_cast<const uint4*>(a + p);
      const uint4 of_b = *reinterpret_cast<const uint4*>(b + p);
      const auto* const x = reinterpret_cast<const __nv_bfloat162*>(&of_a);
      const auto* const y = reinterpret_cast<const __nv_bfloat162*>(&of_b);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 left = __bfloat1622float2(x[i]), right = __bfloat1622float2(y[i]);
        sum += left.x * right.x + left.y * right.y;
      }
    }
  }
  ranks.c[rank][static_cast<size_t>(row) * n + col] = __float2bfloat16(sum);
}

}  // namespace

extern "C" void gemm_reduce_scatter(GemmRanks ranks, int rows, int n, int k) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    multiply_all<<<dim3((n + 255) / 256, rows), 256, 0, ranks.streams[rank]>>>(ranks, rank, rows, n, k);
  }
}
