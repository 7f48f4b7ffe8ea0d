// The step as it is written first: a kernel per operation, a thread per row of a matrix.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kHead = 64, kThreads = 64, kMost = 16384;
__device__ float x_row[kMost], normed[kMost], query[kMost], attended[kMost], hidden_row[kMost];

__global__ void copy(float* to, const float* from, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) to[i] = from[i];
}

__global__ void normalize(int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  float squares = 0;
  for (int c = 0; c < n; ++c)
    squares += x_row[c] * x_row[c];
  if (i < n) normed[i] = x_row[i] / sqrtf(squares / n + 1e-5f);
}

// what: 0 the query, 1 added to x, 2 gelu, 3 added to x from the hidden row.
__global__ void multiply(const __nv_bfloat16* w, int rows, int columns, int what) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  const float* from = what == 1 ? attended : what == 3 ? hidden_row : normed;
  float sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += static_cast<float>(w[static_cast<int64_t>(row) * columns + c]) * from[c];
  if (what == 0) query[row] = sum;
  if (what == 1 || what == 3) x_row[row] += sum;
  if (what == 2) hidden_row[row] = 0.5f * sum * (1 + tanhf(0.7978845608f * (sum + 0.044715f * sum * sum * sum)));
}

__global__ void attend(const __nv_bfloat16* keys, const __nv_bfloat16* values, int past) {
  const int head = blockIdx.x, c = threadIdx.x;
  __shared__ float terms[kHead];
  keys += static_cast<int64_t>(head) * past * kHead;
  values += static_cast<int64_t>(head) * past * kHead;
  float m = -INFINITY, l = 0, o = 0;
  for (int64_t p = 0; p < past; ++p) {
    terms[c] = query[head * kHead + c] * static_cast<float>(keys[p * kHead + c]);
    __syncthreads();
    float score = 0;
    for (int k = 0; k < kHead; ++k)
      score += terms[k] / 8;
    __syncthreads();
    const float next = fmaxf(m, score), before = expf(m - next), weight = expf(score - next);
    m = next;
    l = l * before + weight;
    o = o * before + weight * static_cast<float>(values[p * kHead + c]);
  }
  attended[head * kHead + c] = o / l;
}

int blocks(int n) {
  return (n + kThreads - 1) / kThreads;
}

float* x_address() {
  void* at = nullptr;
  cudaGetSymbolAddress(&at, x_row);
  return static_cast<float*>(at);
}

}  // namespace

extern "C" void decode_step(const float* x, const __nv_bfloat16* w_query, const __nv_bfloat16* w_out,
                            const __nv_bfloat16* w_up, const __nv_bfloat16* w_down, const __nv_bfloat16* keys,
                            const __nv_bfloat16* values, float* out, int layers, int width, int hidden, int past,
                            cudaStream_t stream) {
  float* const row = x_address();
  copy<<<blocks(width), kThreads, 0, stream>>>(row, x, width);
  for (int64_t l = 0; l < layers; ++l) {
    normalize<<<blocks(width), kThreads, 0, stream>>>(width);
    multiply<<<blocks(width), kThreads, 0, stream>>>(w_query + l * width * width, width, width, 0);
    attend<<<width / kHead, kHead, 0, stream>>>(keys + l * width * past, values + l * width * past, past);
    multiply<<<blocks(width), kThreads, 0, stream>>>(w_out + l * width * width, width, width, 1);
    normalize<<<blocks(width), kThreads, 0, stream>>>(width);
    multiply<<<blocks(hidden), kThreads, 0, stream>>>(w_up + l * width * hidden, hidden, width, 2);
    multiply<<<blocks(width), kThreads, 0, stream>>>(w_down + l * width * hidden, width, hidden, 3);
  }
  copy<<<blocks(width), kThreads, 0, stream>>>(out, row, width);
}
