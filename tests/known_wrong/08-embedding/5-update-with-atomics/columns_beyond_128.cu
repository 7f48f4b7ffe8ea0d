// expect: WRONG
// Only the first 128 columns are updated.
#include "embedding.h"
#include "vector_reduction.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kLookups = 8;  // per warp
constexpr unsigned kAll = 0xffffffff;

__global__ void __launch_bounds__(kThreads)
    update_warp_per_lookup(const __nv_bfloat16* gradient, const int64_t* indices, float rate,
                           float* table, int cols, int lookups) {
  const int lane = threadIdx.x % 32;
  const int first = (blockIdx.x * kWarps + threadIdx.x / 32) * kLookups;
  const bool has_lookup = lane < kLookups && first + lane < lookups;
  const int mine = has_lookup ? static_cast<int>(indices[first + lane]) : -1;
  int rows[kLookups];
#pragma unroll
  for (int k = 0; k < kLookups; ++k)
    rows[k] = __shfl_sync(kAll, mine, k);
  if (const int c = 4 * lane; c < cols) {
    float4 x[kLookups];
#pragma unroll
    for (int k = 0; k < kLookups; ++k)
      x[k] = rows[k] < 0 ? make_float4(0, 0, 0, 0)
                         : load_4_bf16(gradient + static_cast<int64_t>(first + k) * cols + c);
#pragma unroll
    for (int k = 0; k < kLookups; ++k)
      if (rows[k] >= 0)
        add_float4(table + static_cast<int64_t>(rows[k]) * cols + c, scaled(x[k], -rate));
  }
}

}  // namespace

extern "C" void embedding_update(const __nv_bfloat16* gradient, const int64_t* indices, float rate,
                                 float* table, int, int cols, int lookups, cudaStream_t stream) {
  constexpr int kPerBlock = kWarps * kLookups;
  update_warp_per_lookup<<<(lookups + kPerBlock - 1) / kPerBlock, kThreads, 0, stream>>>(
      gradient, indices, rate, table, cols, lookups);
}
