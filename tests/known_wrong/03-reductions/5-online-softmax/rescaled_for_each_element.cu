// expect: SLOW
// Right: the sum is rescaled for every element, and the exponentials are computed again at the end.
#include <cfloat>

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
__device__ MaxSum merge_block(MaxSum own) {  // the result is in every thread
  own = merge_warp(own);
  if constexpr (kThreads == 32) return own;
  __shared__ MaxSum of_warps[kThreads / 32];  // [warp]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) of_warps[warp] = own;
  __syncthreads();
  return merge_warp(lane < kThreads / 32 ? of_warps[lane] : MaxSum{-FLT_MAX, 0.0f});
}

// Adds the elements of x to the pair and replaces them by exp(x - max), with the pair's new max.
__device__ void absorb(MaxSum& own, float4 (&x)[kVectors]) {
  for (float4 v : x)
    for (float one : {v.x, v.y, v.z, v.w})
      own = merge(own, {one, 1.0f});
  for (float4& v : x)
    v = exp_float4(v, own.max);
}

// kThreads threads per row; a block with one warp per row has four rows.
template <int kThreads, int kRows = kThreads == 32 ? 4 : 1>
__global__ void __launch_bounds__(kThreads* kRows)
    softmax_row_in_registers(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * kRows + threadIdx.y;
  if (row >= rows) return;  // a whole warp, and no barrier waits for it
  constexpr bool kLong =
      kThreads == 1024;  // only these blocks get rows that exceed their registers
  const bool aligned = cols % 4 == 0, kept = !kLong || cols <= 4 * kThreads * kVectors;
  const float* from = in + static_cast<size_t>(row) * cols;  // [cols]
  float* to = out + static_cast<size_t>(row) * cols;         // [cols]
  float4 x[kVectors];
  MaxSum own = {-FLT_MAX, 0.0f};
  for (int first = 0; first == 0 || (kLong && first * 4 * kThreads < cols); first += kVectors) {
#pragma unroll
    for (int q = 0; q < kVectors; ++q)
      x[q] = load_float4<kThreads>(from, cols, aligned, first + q, -INFINITY);
    absorb(own, x);
  }
  const MaxSum all = merge_block<kThreads>(own);
  const float scale = (kept ? __expf(own.max - all.max) : 1.0f) / all.sum;
  for (int first = 0; first == 0 || (kLong && first * 4 * kThreads < cols); first += kVectors) {
#pragma unroll
    for (int q = 0; q < kVectors; ++q) {
      if (!kept)  // the row did not fit: load it again
        x[q] =
            exp_float4(load_float4<kThreads>(from, cols, aligned, first + q, -INFINITY), all.max);
      const float4 quotient =
          make_float4(x[q].x * scale, x[q].y * scale, x[q].z * scale, x[q].w * scale);
      store_float4<kThreads>(to, cols, aligned, first + q, quotient);
    }
  }
}

}  // namespace

extern "C" void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  if (cols <= 1024)
    softmax_row_in_registers<32><<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(in, out, rows, cols);
  else if (cols <= 4096)
    softmax_row_in_registers<128><<<rows, 128, 0, stream>>>(in, out, rows, cols);
  else if (cols <= 8192)
    softmax_row_in_registers<256><<<rows, 256, 0, stream>>>(in, out, rows, cols);
  else if (cols <= 16384)
    softmax_row_in_registers<512><<<rows, 512, 0, stream>>>(in, out, rows, cols);
  else
    softmax_row_in_registers<1024><<<rows, 1024, 0, stream>>>(in, out, rows, cols);
}
