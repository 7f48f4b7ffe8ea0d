// L1, L2 and DRAM: what is read again, how soon, and how much lies between.
#include "micro_kernel.h"

constexpr unsigned kSms = 132, kThreads = 1024;

// Each block reads its own `kilobytes` `times` times, one float per thread at a time: in L1 or not, by size.
template <int kilobytes, int times>
__global__ void l1_working_set(const float* in, float* out) {
  constexpr unsigned floats = kilobytes * 1024 / 4;
  const float* mine = in + blockIdx.x * floats;
  float sum = 0;
  for (int time = 0; time < times; ++time) {
    for (unsigned i = threadIdx.x; i < floats; i += kThreads)
      sum += mine[i];
    __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// The whole grid reads `megabytes` `times` times, front to back, each time through other blocks' L1 caches.
template <int megabytes, int times>
__global__ void l2_working_set(const float4* in, float* out) {
  constexpr unsigned elements = megabytes * 1024u * 1024 / 16;
  constexpr unsigned threads = kSms * kThreads;
  float sum = 0;
  for (unsigned time = 0; time < times; ++time) {
    const unsigned block = (blockIdx.x + time * 37) % kSms;
    for (unsigned i = block * kThreads + threadIdx.x; i < elements; i += threads) {
      const float4 v = in[i];
      sum += v.x + v.y + v.z + v.w;
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void streaming_copy(const float4* in, float4* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

__global__ void streaming_fill(float4* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = make_float4(1, 2, 3, 4);
}

// Lane l reads 8 neighbouring floats one after the other: one sector, missed once and hit seven times.
__global__ void l1_sector_reuse(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (unsigned k = 0; k < 8; ++k)
    sum += in[i * 8 + k];
  out[i] = sum;
}

// A load of what the same thread has just stored.
__global__ void load_after_store(float* data, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = static_cast<float>(i);
  __syncthreads();
  out[i] = *static_cast<volatile float*>(data + (i ^ 32));
}

// A row of C a warp: A broadcast, B by rows; L1 serves most of it.
__global__ void matrix_product_naive(const float* a, const float* b, float* c, unsigned n) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void transpose_naive(const float* in, float* out, unsigned n) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  out[column * n + row] = in[row * n + column];
}

__global__ void stencil_three(const float* in, float* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i + 1 >= n) return;
  out[i] = in[i - 1] + in[i] + in[i + 1];
}

int main() {
  constexpr size_t kMegabyte = 1024 * 1024;
  float* in = device_array<float>(128 * kMegabyte / 4);
  float* out = device_array<float>(128 * kMegabyte / 4);
  auto* in4 = reinterpret_cast<float4*>(in);
  auto* out4 = reinterpret_cast<float4*>(out);
  l1_working_set<32, 8><<<kSms, kThreads>>>(in, out);
  l1_working_set<128, 8><<<kSms, kThreads>>>(in, out);
  l1_working_set<192, 8><<<kSms, kThreads>>>(in, out);
  l1_working_set<224, 8><<<kSms, kThreads>>>(in, out);
  l1_working_set<320, 4><<<kSms, kThreads>>>(in, out);
  l1_working_set<512, 4><<<kSms, kThreads>>>(in, out);
  l2_working_set<8, 4><<<kSms, kThreads>>>(in4, out);
  l2_working_set<24, 4><<<kSms, kThreads>>>(in4, out);
  l2_working_set<40, 4><<<kSms, kThreads>>>(in4, out);
  l2_working_set<128, 2><<<kSms, kThreads>>>(in4, out);
  streaming_copy<<<128 * kMegabyte / 16 / 256, 256>>>(in4, out4, 128 * kMegabyte / 16);
  streaming_fill<<<128 * kMegabyte / 16 / 256, 256>>>(out4, 128 * kMegabyte / 16);
  l1_sector_reuse<<<kSms, 256>>>(in, out);
  load_after_store<<<kSms, 256>>>(in, out);
  matrix_product_naive<<<dim3(16, 64), dim3(32, 8)>>>(in, in + kMegabyte, out, 512);
  transpose_naive<<<dim3(32, 128), dim3(32, 8)>>>(in, out, 1024);
  stencil_three<<<1024, 256>>>(in, out, 1024 * 256);
  finish();
}
