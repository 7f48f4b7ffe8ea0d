// out[i] = table[indices[i]]: one warp per row, 16 bytes per lane.
//
// In rung 1 each element of 2 bytes costs an index load, a division and a load of its own: a warp
// asks for 64 bytes of a row at a time. A row is contiguous, so a lane can move 16 bytes of it, 8
// elements, with one load and one store. Let a warp take one lookup: it loads the index once, and
// its lanes move the row's 16-byte vectors.
//
//     cols = 128: 256 bytes = 16 vectors: lanes 0 to 15, once
//     cols = 4096: 8192 bytes = 512 vectors: all lanes, 16 times
//
// The table and out are arrays of uint4 then, a type of 16 bytes: a row has cols / 8 of them.
//
//     ./ridge grade 08-embedding/2-warp-per-row
//
// Hypothesis: rung 1 is limited by instructions per byte; 8 elements per instruction leave only the
// memory to wait for.
// What changed: one index load per row, and an eighth of the loads and stores.
// What that bought: most of the copy; each warp still waits twice in a row, for the index and for
// the row.
// Measured on an H200: 67.8% of the device copy (course/measured/nvidia-h200).
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
    to[v] = row < 0 ? make_uint4(0, 0, 0, 0) : from[v];
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
