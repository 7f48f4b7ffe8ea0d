// expect: SLOW
// Each vector is stored before the next one is loaded.
// needs nvcc: waits are read from the machine code
#include <algorithm>

#include "fused.h"
#include "gelu.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 256;  // per block, at most
constexpr int kVectors = 4;    // per thread

__global__ void __launch_bounds__(kThreads)
    bias_gelu_vectors(const uint4* in, const uint4* bias, uint4* out, int rows, int vectors) {
  const int column = blockIdx.y * blockDim.x + threadIdx.x;  // of vectors
  const int first_row = blockIdx.x * kVectors * blockDim.y + threadIdx.y;
  if (column >= vectors) return;
  const uint4 packed_bias = bias[column];
  const Floats b = unpacked(packed_bias);
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int row = first_row + k * blockDim.y;
    if (row >= rows) break;
    Floats x = unpacked(in[static_cast<int64_t>(row) * vectors + column]);
#pragma unroll
    for (int i = 0; i < kPerVector; ++i)
      x.of[i] = gelu(x.of[i] + b.of[i]);
    out[static_cast<int64_t>(row) * vectors + column] = packed(x);
  }
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  const int vectors = cols / kPerVector;  // per row
  const int wide = std::min(vectors, kThreads), high = kThreads / wide;
  const int rows_per_block = kVectors * high;
  const dim3 blocks((rows + rows_per_block - 1) / rows_per_block, (vectors + wide - 1) / wide);
  bias_gelu_vectors<<<blocks, dim3(wide, high), 0, stream>>>(
      reinterpret_cast<const uint4*>(in), reinterpret_cast<const uint4*>(bias),
      reinterpret_cast<uint4*>(out), rows, vectors);
}
