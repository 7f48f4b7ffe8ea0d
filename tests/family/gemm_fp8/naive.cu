// The naive kernel of gemm_fp8: ordinary multiplications, a thread per element, no tensor core.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

namespace {

__global__ void multiply_naive(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, __nv_bfloat16* c, int m, int n,
                               int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p)
    sum += static_cast<float>(a[row * k + p]) * static_cast<float>(b[col * k + p]);
  c[row * n + col] = __float2bfloat16(sum);
}

}  // namespace

extern "C" void gemm_fp8(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, __nv_bfloat16* c, int m, int n,
                         int k, cudaStream_t stream) {
  const dim3 block(32, 8), grid((n + 31) / 32, (m + 7) / 8);
  multiply_naive<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
