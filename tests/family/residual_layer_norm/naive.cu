// The sum by one kernel; a thread per row for mean and variance; the result by a third kernel.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256, kMostRows = 1 << 20;

__device__ float means[kMostRows], factors[kMostRows];

__global__ void add(const __nv_bfloat16* in, const __nv_bfloat16* residual, __nv_bfloat16* sum, int elements) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < elements) sum[at] = __float2bfloat16(__bfloat162float(in[at]) + __bfloat162float(residual[at]));
}

__global__ void statistics(const __nv_bfloat16* sum, float epsilon, int rows, int cols) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  float total = 0, squares = 0;
  for (int c = 0; c < cols; ++c)
    total += __bfloat162float(sum[row * cols + c]);
  const float mean = total / cols;
  for (int c = 0; c < cols; ++c) {
    const float apart = __bfloat162float(sum[row * cols + c]) - mean;
    squares += apart * apart;
  }
  means[row] = mean;
  factors[row] = rsqrtf(squares / cols + epsilon);
}

__global__ void normalise(const __nv_bfloat16* sum, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                          __nv_bfloat16* out, int elements, int cols) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  const int row = at / cols, col = at % cols;
  out[at] = __float2bfloat16((__bfloat162float(sum[at]) - means[row]) * factors[row] * __bfloat162float(weight[col]) +
                             __bfloat162float(bias[col]));
}

}  // namespace

extern "C" void residual_layer_norm(const __nv_bfloat16* in, const __nv_bfloat16* residual, const __nv_bfloat16* weight,
                                    const __nv_bfloat16* bias, float epsilon, __nv_bfloat16* sum, __nv_bfloat16* out,
                                    int rows, int cols, cudaStream_t stream) {
  const int elements = rows * cols, blocks = (elements + kThreads - 1) / kThreads;
  add<<<blocks, kThreads, 0, stream>>>(in, residual, sum, elements);
  statistics<<<(rows + kThreads - 1) / kThreads, kThreads, 0, stream>>>(sum, epsilon, rows, cols);
  normalise<<<blocks, kThreads, 0, stream>>>(sum, weight, bias, out, elements, cols);
}
