// Shared memory: wavefronts and bank conflicts. Every kernel fills the memory that it reads, one block to an SM.
#include "micro_kernel.h"

constexpr int kBlocks = 32, kThreads = 256;

// volatile keeps every access an instruction of its own; the first loop is stride 1 and has no conflicts.
template <typename T>
__device__ T* filled(T* shared, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads)
    shared[i] = static_cast<T>(i);
  __syncthreads();
  return shared;
}

template <typename T, int stride>
__global__ void shared_load_stride(float* out) {
  __shared__ T tile[32 * stride + 1];
  filled(tile, 32 * stride + 1);
  out[blockIdx.x * kThreads + threadIdx.x] = static_cast<float>(tile[threadIdx.x % 32 * stride]);
}

__global__ void shared_load_broadcast(float* out) {
  __shared__ float tile[kThreads];
  filled(tile, kThreads);
  out[blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x / 32];
}

// Lanes 2k and 2k + 1 ask for the same element.
template <typename T>
__global__ void shared_load_pairs(float* out) {
  __shared__ T tile[kThreads];
  filled(tile, kThreads);
  out[blockIdx.x * kThreads + threadIdx.x] = static_cast<float>(tile[threadIdx.x / 2]);
}

// Lanes l and l + 16 ask for the same element.
template <typename T>
__global__ void shared_load_halves(float* out) {
  __shared__ T tile[kThreads];
  filled(tile, kThreads);
  out[blockIdx.x * kThreads + threadIdx.x] = static_cast<float>(tile[threadIdx.x % 16]);
}

// 16 bytes per lane, stride in units of 16 bytes.
template <int stride>
__global__ void shared_load_vector4(float4* out) {
  __shared__ float4 tile[32 * stride];
  for (int i = static_cast<int>(threadIdx.x); i < 32 * stride; i += kThreads)
    tile[i] = make_float4(1, 2, 3, 4);
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x % 32 * stride];
}

// 16 bytes per lane from a few addresses.
template <int distinct>
__global__ void shared_load_vector4_shared(float4* out) {
  __shared__ float4 tile[32];
  if (threadIdx.x < 32) tile[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x % distinct];
}

__global__ void shared_load_partial_warp(float* out) {
  __shared__ float tile[32 * 32];
  filled(tile, 32 * 32);
  if (threadIdx.x % 32 < 7) out[blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x % 32 * 32];
}

// Eight consecutive words per thread, which ptxas reads as two 16-byte loads.
__global__ void shared_load_merged(float* out) {
  __shared__ __align__(16) float tile[kThreads * 8];
  for (int i = static_cast<int>(threadIdx.x); i < kThreads * 8; i += kThreads)
    tile[i] = static_cast<float>(i);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += tile[threadIdx.x * 8 + static_cast<unsigned>(i)];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <typename T, int stride>
__global__ void shared_store_stride(float* out) {
  __shared__ T tile[32 * stride];
  tile[threadIdx.x % 32 * stride] = static_cast<T>(threadIdx.x % 32);
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = static_cast<float>(tile[0]);
}

// A 32 x 32 tile transposed by 32 x 8 threads: rows in, columns out.
constexpr int kTile = 32;
template <int padding>
__global__ void tile_transpose(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + padding];
  const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (unsigned row = y; row < kTile; row += 8)
    tile[row][x] = in[(blockIdx.x * kTile + row) * kTile + x];
  __syncthreads();
  for (unsigned row = y; row < kTile; row += 8)
    out[(blockIdx.x * kTile + row) * kTile + x] = tile[x][row];
}

// The column is exclusive-ored with the row: no padding, no conflicts.
__global__ void tile_transpose_swizzled(const float* in, float* out) {
  __shared__ float tile[kTile][kTile];
  const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (unsigned row = y; row < kTile; row += 8)
    tile[row][x ^ row] = in[(blockIdx.x * kTile + row) * kTile + x];
  __syncthreads();
  for (unsigned row = y; row < kTile; row += 8)
    out[(blockIdx.x * kTile + row) * kTile + x] = tile[x][row ^ x];
}

int main() {
  float* in = device_array<float>(kBlocks * kTile * kTile);
  float* out = device_array<float>(kBlocks * kTile * kTile * 4);
  auto* out4 = reinterpret_cast<float4*>(out);
  shared_load_stride<float, 1><<<kBlocks, kThreads>>>(out);
  shared_load_stride<float, 2><<<kBlocks, kThreads>>>(out);
  shared_load_stride<float, 3><<<kBlocks, kThreads>>>(out);
  shared_load_stride<float, 8><<<kBlocks, kThreads>>>(out);
  shared_load_stride<float, 9><<<kBlocks, kThreads>>>(out);
  shared_load_stride<float, 32><<<kBlocks, kThreads>>>(out);
  shared_load_stride<double, 1><<<kBlocks, kThreads>>>(out);
  shared_load_stride<double, 2><<<kBlocks, kThreads>>>(out);
  shared_load_stride<double, 3><<<kBlocks, kThreads>>>(out);
  shared_load_stride<double, 16><<<kBlocks, kThreads>>>(out);
  shared_load_stride<unsigned char, 1><<<kBlocks, kThreads>>>(out);
  shared_load_stride<unsigned short, 2><<<kBlocks, kThreads>>>(out);
  shared_load_broadcast<<<kBlocks, kThreads>>>(out);
  shared_load_pairs<float><<<kBlocks, kThreads>>>(out);
  shared_load_pairs<double><<<kBlocks, kThreads>>>(out);
  shared_load_halves<float><<<kBlocks, kThreads>>>(out);
  shared_load_halves<double><<<kBlocks, kThreads>>>(out);
  shared_load_vector4<1><<<kBlocks, kThreads>>>(out4);
  shared_load_vector4<2><<<kBlocks, kThreads>>>(out4);
  shared_load_vector4<3><<<kBlocks, kThreads>>>(out4);
  shared_load_vector4<8><<<kBlocks, kThreads>>>(out4);
  shared_load_vector4_shared<1><<<kBlocks, kThreads>>>(out4);
  shared_load_vector4_shared<4><<<kBlocks, kThreads>>>(out4);
  shared_load_vector4_shared<8><<<kBlocks, kThreads>>>(out4);
  shared_load_vector4_shared<16><<<kBlocks, kThreads>>>(out4);
  shared_load_partial_warp<<<kBlocks, kThreads>>>(out);
  shared_load_merged<<<kBlocks, kThreads>>>(out);
  shared_store_stride<float, 1><<<kBlocks, kThreads>>>(out);
  shared_store_stride<float, 2><<<kBlocks, kThreads>>>(out);
  shared_store_stride<float, 32><<<kBlocks, kThreads>>>(out);
  shared_store_stride<double, 1><<<kBlocks, kThreads>>>(out);
  shared_store_stride<double, 2><<<kBlocks, kThreads>>>(out);
  tile_transpose<0><<<kBlocks, kThreads>>>(in, out);
  tile_transpose<1><<<kBlocks, kThreads>>>(in, out);
  tile_transpose_swizzled<<<kBlocks, kThreads>>>(in, out);
  finish();
}
