// expect: OUT OF BOUNDS
// finding: out_of_bounds.padding_index
// An index of -1 is used like any other: the row before the table.
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
  const int mine = has_lookup ? static_cast<int>(indices[first + lane]) : 0;
  int rows[kLookups];
#pragma unroll
  for (int k = 0; k < kLookups; ++k)
    rows[k] = __shfl_sync(kAll, mine, k);
  for (int c = 4 * lane; c < cols; c += 4 * 32) {
    float4 x[kLookups];
#pragma unroll
    for (int k = 0; k < kLookups; ++k)
      x[k] = first + k >= lookups ? make_float4(0, 0, 0, 0)
                         : load_4_bf16(gradient + static_cast<int64_t>(first + k) * cols + c);
#pragma unroll
    for (int k = 0; k < kLookups; ++k)
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
