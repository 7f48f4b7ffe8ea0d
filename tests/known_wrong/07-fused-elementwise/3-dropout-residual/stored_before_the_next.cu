// expect: SLOW
// Each row is stored before the next one is loaded.
// needs nvcc: waits are read from the machine code
#include <algorithm>

#include "fused.h"
#include "philox.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 256;  // per block, at most
constexpr int kVectors = 4;    // per thread
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
  const int first_row = blockIdx.x * kVectors * blockDim.y + threadIdx.y;
  if (column >= vectors) return;
  const uint2 key = *seed;
  const uint4 packed_bias = bias[column];
  const Floats b = unpacked(packed_bias);
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int row = first_row + k * blockDim.y;
    if (row >= rows) break;
    const Floats factor = factors(row, column, key, threshold, scale);
    const int64_t at = static_cast<int64_t>(row) * vectors + column;
    const Floats x = unpacked(in[at]);
    Floats sum = unpacked(residual[at]);
#pragma unroll
    for (int i = 0; i < kPerVector; ++i)
      sum.of[i] += factor.of[i] * (x.of[i] + b.of[i]);
    out[at] = packed(sum);
  }
}

}  // namespace

extern "C" void bias_dropout_residual(const __nv_bfloat16* in, const __nv_bfloat16* bias,
                                      const __nv_bfloat16* residual, const int64_t* seed, float p,
                                      __nv_bfloat16* out, int rows, int cols, cudaStream_t stream) {
  const int vectors = cols / kPerVector;  // per row
  const int wide = std::min(vectors, kThreads), high = kThreads / wide;
  const int rows_per_block = kVectors * high;
  const dim3 blocks((rows + rows_per_block - 1) / rows_per_block, (vectors + wide - 1) / wide);
  const unsigned threshold = static_cast<unsigned>(p * 4294967296.0);
  bias_dropout_residual_vectors<<<blocks, dim3(wide, high), 0, stream>>>(
      reinterpret_cast<const uint4*>(in), reinterpret_cast<const uint4*>(bias),
      reinterpret_cast<const uint4*>(residual), reinterpret_cast<const uint2*>(seed), threshold,
      1 / (1 - p), reinterpret_cast<uint4*>(out), rows, vectors);
}
