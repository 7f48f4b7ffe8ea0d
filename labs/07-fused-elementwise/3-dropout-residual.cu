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
#include <algorithm>

#include "fused.h"
#include "philox.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 256;  // tune: 128, 256, 512    per block, at most
constexpr int kInFlight = 4;   // tune: 1, 2, 4   vectors loaded before the first use
constexpr int kRounds = 10;

__device__ uint4 philox(uint4 counter, uint2 key) {
  // TODO (about 4 lines): kRounds rounds; the key changes by its steps after each. Until you do,
  // the counter itself is returned.
  return counter;
}

// For the 8 columns of a vector: the factor of an element that is kept, 0 for one that is dropped.
__device__ Floats factors(int row, int column, uint2 key, unsigned threshold, float scale) {
  // TODO (about 6 lines): which two counters have the words of columns 8 * column .. 8 * column +
  // 7? Compare each word with the threshold. Until you do, everything is dropped.
  return {};
}

__global__ void __launch_bounds__(kThreads)
    bias_dropout_residual_vectors(const uint4* in, const uint4* bias, const uint4* residual,
                                  const uint2* seed, unsigned threshold, float scale, uint4* out,
                                  int rows, int vectors) {
  const int column = blockIdx.y * blockDim.x + threadIdx.x;  // of vectors
  const int first_row = blockIdx.x * kInFlight * blockDim.y + threadIdx.y;
  if (column >= vectors) return;
  // TODO (about 18 lines): as in rung 2, first all loads: the key, the bias, and the vectors of
  // `in` and `residual`. Then for each row the factors(), and residual + factor * (in + bias).
  // Until you do, nothing is written.
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
