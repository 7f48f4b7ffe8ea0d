// Bias and GELU as two lambdas of the device that a third one calls; constants in a std::array.
#include <array>

#include "fused.h"
#include "gelu.h"

namespace {

constexpr int kThreads = 256;
constexpr std::array<float, 2> kLimits = {-65536.0f, 65536.0f};

template <typename F>
__global__ void __launch_bounds__(kThreads) for_each_element(int count, F f) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) f(i);
}

}  // namespace

extern "C" void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out,
                          int rows, int cols, cudaStream_t stream) {
  const int count = rows * cols;
  const auto activate = [] __device__(float x) {
    return x > kLimits[1] ? x : x < kLimits[0] ? 0 : gelu(x);
  };
  const auto biased = [=] __device__(int i, float x) {
    return x + __bfloat162float(bias[i % cols]);
  };
  for_each_element<<<(count + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      count, [=] __device__(int i) {
        const float x = __bfloat162float(in[i]);
        out[i] = __float2bfloat16(activate(biased(i, x)));
      });
}
