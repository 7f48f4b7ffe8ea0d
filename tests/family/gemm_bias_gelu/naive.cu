// An element of C per thread on CUDA cores, with the epilogue in the same kernel.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kTile = 16;

__global__ void multiply(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* bias, __nv_bfloat16* c,
                         int m, int n, int k) {
  const int col = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p)
    sum += __bfloat162float(a[static_cast<int64_t>(row) * k + p]) * __bfloat162float(b[static_cast<int64_t>(col) * k + p]);
  const float x = sum + __bfloat162float(bias[col]);
  c[static_cast<int64_t>(row) * n + col] =
      __float2bfloat16(0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))));
}

}  // namespace

extern "C" void gemm_bias_gelu(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* bias,
                               __nv_bfloat16* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  multiply<<<blocks, dim3(kTile, kTile), 0, stream>>>(a, b, bias, c, m, n, k);
}
