// An update in which a warp adds up equal rows among its lookups first, so that the hottest row gets fewer reductions.
#include "embedding.h"
#include "vector_reduction.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kLookups = 16;

__global__ void update_merged_in_warp(const __nv_bfloat16* gradient, const int64_t* indices, float rate, float* table,
                                      int cols, int lookups) {
  const int lane = threadIdx.x % 32, first = (blockIdx.x * kWarps + threadIdx.x / 32) * kLookups;
  const bool there = lane < kLookups && first + lane < lookups;
  const int mine = there ? static_cast<int>(indices[first + lane]) : -1;
  const unsigned same = __match_any_sync(0xffffffff, mine);
  for (int k = 0; k < kLookups; ++k) {
    const int row = __shfl_sync(0xffffffff, mine, k);
    const unsigned all = __shfl_sync(0xffffffff, same, k);
    if (row < 0 || (all & ((1u << k) - 1)) != 0) continue;  // padding, or merged with an earlier one
    for (int c = 4 * lane; c < cols; c += 128) {
      float4 sum = {};
      for (unsigned left = all; left != 0; left &= left - 1)
        add(sum, load_4_bf16(gradient + static_cast<int64_t>(first + __ffs(left) - 1) * cols + c));
      add_float4(table + static_cast<int64_t>(row) * cols + c, scaled(sum, -rate));
    }
  }
}

}  // namespace

extern "C" void embedding_update(const __nv_bfloat16* gradient, const int64_t* indices, float rate, float* table, int,
                                 int cols, int lookups, cudaStream_t stream) {
  constexpr int kPerBlock = kWarps * kLookups;
  update_merged_in_warp<<<(lookups + kPerBlock - 1) / kPerBlock, kThreads, 0, stream>>>(gradient, indices, rate, table,
                                                                                        cols, lookups);
}
