// out = residual + dropout(in + bias): the mask is computed, not stored.
//
// Dropout sets each element to 0 with probability p and divides the others by 1 - p. The random
// numbers decide what the backward pass must do, so a framework stores them, as a mask. A
// *counter-based* generator has no state and needs no storage: Philox4x32-10 makes 128 random bits
// of a counter and a key in ten rounds of two multiplications. The counter says which element it
// is, so any thread can compute the bits of any element at any time, again in the backward pass.
//
//     counter  {col / 4, row, 0, 0}     one call for 4 neighbouring columns
//     key      {low, high} word of the seed; before each further round + kKeyStep0, + kKeyStep1
//     word i   of the result is that of column 4 (col / 4) + i
//     keep     word >= p * 2^32
//
// A vector of 8 columns needs two calls: 200 instructions for 48 bytes. They need no data, so they
// execute while the loads are under way.
//
//     ./ridge grade 07-fused-elementwise/3-dropout-residual
//
// Hypothesis: 25 integer instructions per element fit under the time of its 6 bytes.
// What changed from rung 2: a second input per element, and the mask.
// What that bought: one kernel for five: 6 bytes per element instead of 20.
// Measured on an H200: 101.9% of the device copy (course/measured/nvidia-h200).
#include <algorithm>

#include "fused.h"
#include "philox.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 256;  // tune: 128, 256, 512    per block, at most
constexpr int kInFlight = 4;   // tune: 1, 2, 4   vectors loaded before the first use
constexpr int kRounds = 10;

__device__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    counter = philox_round(counter, key);
    key = make_uint2(key.x + kKeyStep0, key.y + kKeyStep1);
  }
  return counter;
}

// For the 8 columns of a vector: the factor of an element that is kept, 0 for one that is dropped.
__device__ Floats factors(int row, int column, uint2 key, unsigned threshold, float scale) {
  const uint4 a = philox(make_uint4(2 * column, row, 0, 0), key);
  const uint4 b = philox(make_uint4(2 * column + 1, row, 0, 0), key);
  const unsigned words[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  Floats factor;
#pragma unroll
  for (int i = 0; i < kPerVector; ++i)
    factor.of[i] = words[i] >= threshold ? scale : 0.0f;
  return factor;
}

__global__ void __launch_bounds__(kThreads)
    bias_dropout_residual_vectors(const uint4* in, const uint4* bias, const uint4* residual,
                                  const uint2* seed, unsigned threshold, float scale, uint4* out,
                                  int rows, int vectors) {
  const int column = blockIdx.y * blockDim.x + threadIdx.x;  // of vectors
  const int first_row = blockIdx.x * kInFlight * blockDim.y + threadIdx.y;
  if (column >= vectors) return;
  const uint2 key = *seed;
  const uint4 packed_bias = bias[column];
  uint4 loaded[kInFlight], added[kInFlight];
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const int row = first_row + k * blockDim.y;
    const int64_t at = static_cast<int64_t>(row) * vectors + column;
    if (row < rows) loaded[k] = in[at], added[k] = residual[at];
  }
  const Floats b = unpacked(packed_bias);
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const int row = first_row + k * blockDim.y;
    if (row >= rows) break;
    const Floats factor = factors(row, column, key, threshold, scale);
    const Floats x = unpacked(loaded[k]);
    Floats sum = unpacked(added[k]);
#pragma unroll
    for (int i = 0; i < kPerVector; ++i)
      sum.of[i] += factor.of[i] * (x.of[i] + b.of[i]);
    out[static_cast<int64_t>(row) * vectors + column] = packed(sum);
  }
}

}  // namespace

extern "C" void bias_dropout_residual(const __nv_bfloat16* in, const __nv_bfloat16* bias,
                                      const __nv_bfloat16* residual, const int64_t* seed, float p,
                                      __nv_bfloat16* out, int rows, int cols, cudaStream_t stream) {
  const int vectors = cols / kPerVector;  // per row
  const int wide = std::min(vectors, kThreads), high = kThreads / wide;
  const int rows_per_block = kInFlight * high;
  const dim3 blocks((rows + rows_per_block - 1) / rows_per_block, (vectors + wide - 1) / wide);
  const unsigned threshold = static_cast<unsigned>(p * 4294967296.0);
  bias_dropout_residual_vectors<<<blocks, dim3(wide, high), 0, stream>>>(
      reinterpret_cast<const uint4*>(in), reinterpret_cast<const uint4*>(bias),
      reinterpret_cast<const uint4*>(residual), reinterpret_cast<const uint2*>(seed), threshold,
      1 / (1 - p), reinterpret_cast<uint4*>(out), rows, vectors);
}
