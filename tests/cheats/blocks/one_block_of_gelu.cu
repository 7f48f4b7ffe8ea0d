// 16 bytes per lane, and one block for all rows.
#include "fused.h"
#include "gelu.h"
#include "vectors.h"

namespace {

constexpr int kThreads = 512;

__global__ void __launch_bounds__(kThreads)
    activate_all(const uint4* in, const uint4* bias, uint4* out, int rows, int vectors) {
  for (int v = threadIdx.x; v < vectors; v += kThreads) {
    const Floats b = unpacked(bias[v]);
    for (int64_t row = 0; row < rows; ++row) {
      Floats x = unpacked(in[row * vectors + v]);
      for (int i = 0; i < kPerVector; ++i)
        x.of[i] = gelu(x.of[i] + b.of[i]);
      out[row * vectors + v] = packed(x);
    }
  }
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  activate_all<<<1, kThreads, 0, stream>>>(reinterpret_cast<const uint4*>(in),
                                           reinterpret_cast<const uint4*>(bias),
                                           reinterpret_cast<uint4*>(out), rows, cols / kPerVector);
}
