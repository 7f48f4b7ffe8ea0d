// A lookup whose rows pass through shared memory: 16 lookups per warp, brought by cp.async of 16 bytes, stored when all of
// them are there.
#include <cuda_pipeline.h>

#include "embedding.h"

namespace {

constexpr int kThreads = 128, kWarps = kThreads / 32, kRows = 16, kChunk = 16;  // rows per warp, vectors of a row

__global__ void lookup_async_copies(const uint4* table, const int64_t* indices, uint4* out, int vectors, int lookups) {
  __shared__ uint4 staged[kWarps][kRows][kChunk];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = (blockIdx.x * kWarps + warp) * kRows;
  const int64_t mine = lane < kRows && first + lane < lookups ? indices[first + lane] : -1;
  for (int chunk = 0; chunk < vectors; chunk += kChunk) {
    const int v = chunk + lane % kChunk;
    for (int r = lane / kChunk; r < kRows; r += 2) {
      const int64_t row = __shfl_sync(0xffffffff, mine, r);
      if (v >= vectors) continue;
      if (row >= 0)
        __pipeline_memcpy_async(&staged[warp][r][lane % kChunk], &table[row * vectors + v], sizeof(uint4));
      else
        staged[warp][r][lane % kChunk] = make_uint4(0, 0, 0, 0);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);  // every lane stores what it copied itself
    for (int r = lane / kChunk; r < kRows && v < vectors; r += 2)
      if (first + r < lookups) out[static_cast<int64_t>(first + r) * vectors + v] = staged[warp][r][lane % kChunk];
  }
}

}  // namespace

extern "C" void embedding_lookup(const __nv_bfloat16* table, const int64_t* indices, __nv_bfloat16* out, int, int cols,
                                 int lookups, cudaStream_t stream) {
  constexpr int kPerBlock = kWarps * kRows;
  lookup_async_copies<<<(lookups + kPerBlock - 1) / kPerBlock, kThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(table), indices, reinterpret_cast<uint4*>(out), cols / 8, lookups);
}
