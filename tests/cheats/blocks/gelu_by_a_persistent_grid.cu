// A grid of at most two blocks per SM, whose blocks stride over pairs of rows.
#include <algorithm>

#include "fused.h"
#include "gelu.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 256, kMostBlocks = 264;

__global__ void __launch_bounds__(kThreads)
    activate_pairs(const uint4* in, const uint4* bias, uint4* out, int rows, int vectors, int wide,
                   int high) {
  const int x = threadIdx.x % wide, y = threadIdx.x / wide;
  if (y >= high) return;
  for (int c = x; c < vectors; c += wide) {
    const Floats b = unpacked(bias[c]);
    for (int64_t row = 2ll * (blockIdx.x * high + y); row < rows; row += 2ll * gridDim.x * high) {
      uint4 loaded[2];
      for (int k = 0; k < 2; ++k)
        if (row + k < rows) loaded[k] = __ldcs(&in[(row + k) * vectors + c]);
      for (int k = 0; k < 2 && row + k < rows; ++k) {
        Floats f = unpacked(loaded[k]);
        for (int i = 0; i < kPerVector; ++i)
          f.of[i] = gelu(f.of[i] + b.of[i]);
        __stcs(&out[(row + k) * vectors + c], packed(f));
      }
    }
  }
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  const int vectors = cols / kPerVector, wide = std::min(vectors, kThreads);
  const int high = kThreads / wide,
            blocks = std::min((rows + 2 * high - 1) / (2 * high), kMostBlocks);
  activate_pairs<<<blocks, kThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(in), reinterpret_cast<const uint4*>(bias),
      reinterpret_cast<uint4*>(out), rows, vectors, wide, high);
}
