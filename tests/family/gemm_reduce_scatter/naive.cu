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
  float sum = 0;
  for (int from = 0; from < ranks.count; ++from)
    for (int p = 0; p < k; ++p)
      sum += __bfloat162float(ranks.a[from][static_cast<size_t>(rank * rows + row) * k + p]) *
             __bfloat162float(ranks.b[from][static_cast<size_t>(col) * k + p]);
  ranks.c[rank][static_cast<size_t>(row) * n + col] = __float2bfloat16(sum);
}

}  // namespace

extern "C" void gemm_reduce_scatter(GemmRanks ranks, int rows, int n, int k) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    multiply_all<<<dim3(n / 256, rows), 256, 0, ranks.streams[rank]>>>(ranks, rank, rows, n, k);
  }
}
