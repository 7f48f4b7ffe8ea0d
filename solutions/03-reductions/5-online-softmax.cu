// Softmax of each row: the maximum and the sum of exponentials in one pass over the data.
//
// Written as the formula reads, a row is needed three times: for its maximum, for the sum of exp(x
// - maximum), for the quotients. That is three loads of every element, and two trees over the
// block. But the sum need not wait for the maximum. A pair (max, sum of exp(x - max)) can be
// updated whenever a larger element appears, and two pairs can be merged:
//
//     max = the larger maximum      sum = sum1 * exp(max1 - max) + sum2 * exp(max2 - max)
//
// So one pass and one tree over pairs are enough. A block also keeps what it loaded, up to 32
// floats per thread, as exponentials in its registers: after the tree only a multiplication and a
// store remain.
//
//     ./ridge grade 03-reductions/5-online-softmax
//
// Hypothesis: a softmax is limited by memory; loading each element once instead of three times
// reaches the speed of a copy.
// What changed from three passes: every element is loaded once, one tree instead of two, and a
// thread issues 8 loads of 16 bytes before it uses the first.
// What that bought: nearly the bandwidth of the device copy.
// Measured on an H200: 96.9% of the device copy (course/measured/nvidia-h200).
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
  float max = own.max;
  for (float4 v : x)
    max = fmaxf(max, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  own = {max, own.sum * __expf(own.max - max)};
  for (float4& v : x) {
    v = exp_float4(v, max);
    own.sum += (v.x + v.y) + (v.z + v.w);
  }
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
  MaxSum own = {-FLT_MAX, 0.0f};  // of no elements; with -INFINITY, max - max would be NaN
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
