// No cluster: the blocks of a row exchange their pairs through global memory and wait for each other there.
#include <cfloat>
#include <cmath>

#include "reductions.h"
#include "row_float4.h"

namespace {

constexpr int kVectors = 8;  // float4 of its row that a thread holds: 32 floats

struct MaxSum {
  float max, sum;  // sum: of exp(x - max)
};

__device__ MaxSum merge(MaxSum a, MaxSum b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * __expf(a.max - max) + b.sum * __expf(b.max - max)};
}

__device__ MaxSum merge_warp(MaxSum own) {  // the result is in every lane
  for (int d = 16; d > 0; d /= 2)
    own = merge(
        own, {__shfl_xor_sync(0xffffffffu, own.max, d), __shfl_xor_sync(0xffffffffu, own.sum, d)});
  return own;
}

template <int kThreads>
__device__ MaxSum merge_block(MaxSum own) {   // the result is in every thread
  __shared__ MaxSum of_warps[kThreads / 32];  // [warp]
  const int lane = threadIdx.x % 32;
  own = merge_warp(own);
  if (lane == 0) of_warps[threadIdx.x / 32] = own;
  __syncthreads();
  return merge_warp(lane < kThreads / 32 ? of_warps[lane] : MaxSum{-FLT_MAX, 0.0f});
}

// Adds the elements of x to the pair and replaces them by exp(x - max), with the pair's new max.
__device__ void absorb(MaxSum& own, float4 (&x)[kVectors]) {
  float max = own.max;
  for (float4 v : x)
    max = fmaxf(max, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  own = {max, own.sum * __expf(own.max - max)};
  for (float4& v : x) {
    v = exp_float4(v, max);
    own.sum += (v.x + v.y) + (v.z + v.w);
  }
}

__device__ MaxSum pairs[1 << 16];
__device__ int arrived[1 << 16];

template <int kBlocks, int kThreads>
__global__ void __launch_bounds__(kThreads) softmax_row_by_flags(const float* in, float* out, int cols) {
  const int rank = blockIdx.x % kBlocks, row = blockIdx.x / kBlocks;
  const bool aligned = cols % 4 == 0, kept = cols <= 4 * kThreads * kVectors * kBlocks;
  const int chunks = (cols - 1) / (4 * kThreads * kVectors * kBlocks) + 1;
  const float* from = in + static_cast<size_t>(row) * cols;  // [cols]
  float* to = out + static_cast<size_t>(row) * cols;         // [cols]
  float4 x[kVectors];
  MaxSum own = {-FLT_MAX, 0.0f};
  // For each q the blocks take neighbouring pieces of 4 kThreads floats, in the order of their
  // ranks.
  const auto piece = [&](int chunk, int q) { return (chunk * kVectors + q) * kBlocks + rank; };
  for (int chunk = 0; chunk < chunks; ++chunk) {
#pragma unroll
    for (int q = 0; q < kVectors; ++q)
      x[q] = load_float4<kThreads>(from, cols, aligned, piece(chunk, q), -INFINITY);
    absorb(own, x);
  }
  const MaxSum block = merge_block<kThreads>(own);
  if (threadIdx.x == 0) {
    pairs[blockIdx.x] = block;
    __threadfence();
    atomicAdd(&arrived[row], 1);
    while (atomicAdd(&arrived[row], 0) < kBlocks) {
    }
    __threadfence();
  }
  __shared__ MaxSum of_blocks[kBlocks];
  __syncthreads();
  if (threadIdx.x < kBlocks) of_blocks[threadIdx.x] = pairs[row * kBlocks + threadIdx.x];
  __syncthreads();
  MaxSum all = of_blocks[0];
  for (int r = 1; r < kBlocks; ++r)
    all = merge(all, of_blocks[r]);
  const float scale = (kept ? __expf(own.max - all.max) : 1.0f) / all.sum;
  for (int chunk = 0; chunk < chunks; ++chunk) {
#pragma unroll
    for (int q = 0; q < kVectors; ++q) {
      if (!kept)
        x[q] = exp_float4(load_float4<kThreads>(from, cols, aligned, piece(chunk, q), -INFINITY),
                          all.max);
      const float4 quotient =
          make_float4(x[q].x * scale, x[q].y * scale, x[q].z * scale, x[q].w * scale);
      store_float4<kThreads>(to, cols, aligned, piece(chunk, q), quotient);
    }
  }
}

}  // namespace

extern "C" void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  static void* flags = nullptr;
  if (!flags) cudaGetSymbolAddress(&flags, arrived);
  cudaMemsetAsync(flags, 0, sizeof(int) * rows, stream);
  const auto kernel = cols <= 65536    ? softmax_row_by_flags<4, 512>
                      : cols <= 131072 ? softmax_row_by_flags<8, 512>
                                       : softmax_row_by_flags<8, 1024>;
  const int blocks = cols <= 65536 ? 4 : 8, threads = cols <= 131072 ? 512 : 1024;
  kernel<<<blocks * rows, threads, 0, stream>>>(in, out, cols);
}
