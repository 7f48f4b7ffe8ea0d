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
#include <cfloat>

#include "reductions.h"
#include "row_float4.h"

namespace {

constexpr int kVectors = 8;  // float4 of its row that a thread holds: 32 floats

struct MaxSum {
  float max, sum;  // sum: of exp(x - max)
};

__device__ MaxSum merge(MaxSum a, MaxSum b) {
  // TODO (about 2 lines): the pair of all elements that a and b cover. __expf() is the exponential
  // of exp_float4(), too: expf() takes more instructions and registers, and is not needed
  // (row_float4.h).
  return a;
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
  // TODO (about 7 lines): the maximum of own.max and the 32 floats; rescale the sum from the old
  // maximum to the new one; then replace each float4 by exp_float4(v, max) and add it to the sum.
  // Floats past the end of the row are -INFINITY, and their exponential is 0.
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
  // TODO (about 1 line): the factor that turns the values of the loop below into quotients. For a
  // row that was `kept` they are exp(x - own.max); for a row that is too long for the block they
  // are exp(x - all.max).
  const float scale = 1.0f;
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
