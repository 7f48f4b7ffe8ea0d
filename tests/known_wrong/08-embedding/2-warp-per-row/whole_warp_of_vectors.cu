// expect: RACE
// All lanes copy, also where the row has fewer vectors: they write the next row.
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
  for (int v = lane; v < (vectors + 31) / 32 * 32; v += 32)
    to[v] = row < 0 || v >= vectors ? make_uint4(0, 0, 0, 0) : from[v];
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
