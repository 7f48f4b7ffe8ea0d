// expect: SLOW
// A lane moves 8 bytes at a time: twice the requests.
#include <algorithm>

#include "fused.h"
#include "gelu.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 256, kInFlight = 8, kPerHalf = 4;

__global__ void __launch_bounds__(kThreads)
    bias_gelu_vectors(const uint2* in, const uint2* bias, uint2* out, int rows, int vectors) {
  const int column = blockIdx.y * blockDim.x + threadIdx.x;
  const int first_row = blockIdx.x * kInFlight * blockDim.y + threadIdx.y;
  if (column >= vectors) return;
  const uint2 of_bias = bias[column];
  const Floats b = unpacked(make_uint4(of_bias.x, of_bias.y, 0, 0));
  uint2 loaded[kInFlight];
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const int row = first_row + k * blockDim.y;
    if (row < rows) loaded[k] = in[static_cast<int64_t>(row) * vectors + column];
  }
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const int row = first_row + k * blockDim.y;
    if (row >= rows) break;
    Floats x = unpacked(make_uint4(loaded[k].x, loaded[k].y, 0, 0));
#pragma unroll
    for (int i = 0; i < kPerHalf; ++i)
      x.of[i] = gelu(x.of[i] + b.of[i]);
    out[static_cast<int64_t>(row) * vectors + column] =
        make_uint2(packed_pair(x.of[0], x.of[1]), packed_pair(x.of[2], x.of[3]));
  }
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  const int vectors = cols / kPerHalf;
  const int wide = std::min(vectors, kThreads), high = kThreads / wide;
  const dim3 blocks((rows + kInFlight * high - 1) / (kInFlight * high), (vectors + wide - 1) / wide);
  bias_gelu_vectors<<<blocks, dim3(wide, high), 0, stream>>>(
      reinterpret_cast<const uint2*>(in), reinterpret_cast<const uint2*>(bias),
      reinterpret_cast<uint2*>(out), rows, vectors);
}
