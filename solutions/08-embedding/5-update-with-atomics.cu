// table[indices[i]] -= rate * gradient[i]: the update of an embedding, with atomics.
//
// The gradient of a lookup is an update of the rows that were looked up. Two lookups may name the
// same row, so `table[row] -= ...` is a race: both load the old row, and one update is lost. An
// atomic addition is not. L2 executes it, near the memory, and a warp need not wait for it if it
// does not ask for the old value: a *reduction* (red in PTX).
//
// The cost of an atomic is counted in sectors, not in floats: a request whose lanes add to
// neighbouring floats is one request of whole sectors. One thread per lookup, each with a row of
// its own, makes a sector operation of every float. So, as in rung 2: one warp per row. A lane
// takes 4 columns: one load of 8 bytes, one reduction of 16 (add_float4() of vector_reduction.h),
// 512 contiguous bytes per warp. And as in rung 3: 8 lookups in flight.
//
// Duplicates contend: reductions to one address are executed one after the other. With uniform
// indices that is rare; with a Zipf distribution a tenth of all lookups may name one row.
//
//     ./ridge grade 08-embedding/5-update-with-atomics
//
// Hypothesis: one thread per lookup is limited by sector operations in L2, 8 times as many as the
// bytes need.
// What changed: whole sectors per reduction, 16 bytes per lane, gradients in flight.
// What that bought: an eighth of the sector operations; the hottest row sets the time now.
// Measured on an H200: 1357.3% of the naive update (course/measured/nvidia-h200).
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
  for (int c = 4 * lane; c < cols; c += 4 * 32) {
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
