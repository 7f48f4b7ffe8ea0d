// expect: OUT OF BOUNDS
// finding: out_of_bounds.padding_index
// An index of -1 is read like any other: the row before the table.
#include "embedding.h"

namespace {

constexpr int kThreads = 256;  // per block
constexpr int kPerVector = 8;  // elements of 16 bytes
constexpr int kWarps = kThreads / 32;

__global__ void lookup_warp_per_row(const uint4* table, const int64_t* indices, uint4* out,
                                    int vectors, int lookups) {
  const int lane = threadIdx.x % 32, lookup = blockIdx.x * kWarps + threadIdx.x / 32;
  if (lookup >= lookups) return;
  const int64_t row = indices[lookup];        // the same address in all lanes: one sector
  const uint4* from = table + row * vectors;  // [vectors]
  uint4* to = out + static_cast<int64_t>(lookup) * vectors;  // [vectors]
  for (int v = lane; v < vectors; v += 32)
    to[v] = from[v];
}

}  // namespace

extern "C" void embedding_lookup(const __nv_bfloat16* table, const int64_t* indices,
                                 __nv_bfloat16* out, int, int cols, int lookups,
                                 cudaStream_t stream) {
  const int blocks = (lookups + kWarps - 1) / kWarps;
  lookup_warp_per_row<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<const uint4*>(table),
                                                       indices, reinterpret_cast<uint4*>(out),
                                                       cols / kPerVector, lookups);
}
