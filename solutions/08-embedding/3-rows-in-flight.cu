// out[i] = table[indices[i]]: several rows in flight per lane.
//
// In rung 2 a warp waits for an index, then for a row of 256 bytes, then it ends: two latencies one
// after the other, with 256 bytes in flight during the second and 8 during the first. A row of 128
// elements also leaves half of the lanes idle. Three changes:
//
//   - a group of lanes per row, as many as the row has vectors: 16 lanes for 128 elements;
//   - a group takes kRows lookups at once: one load brings their indices, lane k has that of lookup
//     k, shuffles hand them out, and then kRows loads of 16 bytes per lane are in flight together;
//   - a group goes on to further lookups, and loads the indices of the next ones before it waits
//     for the rows of these: the first latency passes under the second.
//
// The grid has as many blocks as fit on the machine at once.
//
//     ./ridge grade 08-embedding/3-rows-in-flight
//
// Hypothesis: rung 2 has too few bytes in flight per SM for two dependent latencies; 128 bytes per
// lane in flight, and indices that are there in advance, reach the bandwidth of the memory.
// What changed: 8 rows in flight per 16 lanes instead of one per 32.
// What that bought: nearly the copy of the bytes that must move.
// Measured on an H200: 93.2% of the device copy (course/measured/nvidia-h200).
#include <algorithm>

#include "embedding.h"

namespace {

constexpr int kThreads = 256;    // per block
constexpr int kBlocksPerSm = 4;  // what 64 registers per thread allow
constexpr int kRows = 8;         // lookups that a group has in flight
constexpr unsigned kAll = 0xffffffff;

// Lane k of a group returns the index of lookup k of its tile; -1 beyond the last lookup.
__device__ int index_of_lane(const int64_t* indices, int tile, int lane, int lookups) {
  const int lookup = tile * kRows + lane;
  return lane < kRows && lookup < lookups ? static_cast<int>(indices[lookup]) : -1;
}

template <int kLanes>  // per row: 8, 16 or 32
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    lookup_rows_in_flight(const uint4* table, const int64_t* indices, uint4* out, int vectors,
                          int lookups) {
  const int lane = threadIdx.x % kLanes;
  const int groups = gridDim.x * (kThreads / kLanes);
  const int group = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
  const int tiles = (lookups + kRows - 1) / kRows;
  const int rounds = (tiles + groups - 1) / groups;  // the same for all lanes of a warp
  int mine = index_of_lane(indices, group, lane, lookups);
  for (int round = 0; round < rounds; ++round) {
    const int tile = group + round * groups;
    const int next = index_of_lane(indices, tile + groups, lane, lookups);
    int rows[kRows];  // [lookup of the tile]
#pragma unroll
    for (int k = 0; k < kRows; ++k)
      rows[k] = __shfl_sync(kAll, mine, k, kLanes);
    for (int v = lane; v < vectors; v += kLanes) {
      uint4 x[kRows];  // [lookup of the tile]
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        x[k] = rows[k] < 0 ? make_uint4(0, 0, 0, 0)
                           : table[static_cast<int64_t>(rows[k]) * vectors + v];
#pragma unroll
      for (int k = 0; k < kRows; ++k) {
        const int64_t lookup = static_cast<int64_t>(tile) * kRows + k;
        // Written once and not read here: leave L2 to the table.
        if (lookup < lookups) __stcs(&out[lookup * vectors + v], x[k]);
      }
    }
    mine = next;
  }
}

template <int kLanes>
void launch(const uint4* table, const int64_t* indices, uint4* out, int vectors, int lookups,
            cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  constexpr int kPerBlock = kThreads / kLanes * kRows;  // lookups
  const int needed = (lookups + kPerBlock - 1) / kPerBlock, room = kBlocksPerSm * sms;
  const int blocks = std::min(needed, room);
  lookup_rows_in_flight<kLanes>
      <<<blocks, kThreads, 0, stream>>>(table, indices, out, vectors, lookups);
}

}  // namespace

extern "C" void embedding_lookup(const __nv_bfloat16* table, const int64_t* indices,
                                 __nv_bfloat16* out, int, int cols, int lookups,
                                 cudaStream_t stream) {
  const int vectors = cols / 8;  // of 16 bytes
  const auto run = vectors <= 8 ? launch<8> : vectors <= 16 ? launch<16> : launch<32>;
  run(reinterpret_cast<const uint4*>(table), indices, reinterpret_cast<uint4*>(out), vectors,
      lookups, stream);
}
