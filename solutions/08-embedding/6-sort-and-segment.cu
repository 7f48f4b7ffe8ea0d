// table[indices[i]] -= rate * gradient[i]: sorted by row, without atomics, the same bits each time.
//
// In rung 5 the lookups of the hottest row queue in L2, and their floats are added in the order of
// arrival: another order, and another last bit, in every call. Sort the lookups by row first
// (sort_by_row.h; a stable radix sort): the lookups of one row become a *run* of neighbours.
//
//     row       3  3  3  3  7  9  9  9 | 9  9  9  9  9  9  9  9 | 9  12 12 20 ...
//     tile      0                        1                        2
//     tile 0 updates 3 and 7, tile 2 updates 12; the run of row 9 spans three tiles
//
// A warp takes a tile of 64 entries and adds up run by run, in registers. A run that lies within
// the tile has no other owner: a plain load, addition and store updates the row. Of a run that
// spans tiles, each tile stores its part: `opened` where the run begins, `continued` where it goes
// on. In a second kernel a block adds up the parts of each run that one of its 16 tiles has opened:
// each warp every 16th tile, in a fixed order. Then it updates the row.
//
//     ./ridge grade 08-embedding/6-sort-and-segment
//
// Hypothesis: the hottest row's queue costs more than sorting 12 bytes per lookup does.
// What changed: one update per row instead of one per lookup; the order is a matter of the inputs.
// What that bought: the time no longer depends on the hottest row, and every call gives the same
// bits.
// Measured on an H200: 237.5% of the update by atomics (course/measured/nvidia-h200).
#include "embedding.h"
#include "sorted_tiles.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kCloseThreads = 512, kCloseWarps = kCloseThreads / 32;
constexpr int kMostParts = 2 * ((1 << 27) / kTile);  // floats: tiles * cols, of two tiles or more
constexpr unsigned kAll = 0xffffffff;

__device__ float opened[kMostParts], continued[kMostParts];  // [tile][cols]

__global__ void __launch_bounds__(kThreads)
    add_runs(const Entry* sorted, const __nv_bfloat16* gradient, float rate, float* table, int cols,
             int lookups) {
  const int lane = threadIdx.x % 32, tile = blockIdx.x * kWarps + threadIdx.x / 32;
  const int begin = tile * kTile, end = min(begin + kTile, lookups);
  if (begin >= lookups) return;
  const bool continues = begin > 0 && sorted[begin - 1].row == sorted[begin].row;
  const bool goes_on = end < lookups && sorted[end].row == sorted[end - 1].row;
  for (int c = 4 * lane; c < (cols + 127) / 128 * 128; c += 128) {
    float4 sum = {};
    bool first_run = true;
    Entry ahead = entry_of_lane(sorted, begin, end);
    for (int at = begin; at < end; at += kInFlight) {
      const Entry mine = ahead;
      ahead = entry_of_lane(sorted, at + kInFlight, end);
      prefetch_row(table, mine, cols, c - 4 * lane);
      float4 x[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const uint32_t lookup = __shfl_sync(kAll, mine.lookup, k);
        x[k] = lookup == kPadding || c >= cols
                   ? make_float4(0, 0, 0, 0)
                   : load_4_bf16(gradient + static_cast<int64_t>(lookup) * cols + c);
      }
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const uint32_t row = __shfl_sync(kAll, mine.row, k),
                       next = __shfl_sync(kAll, mine.row, k + 1);
        add(sum, x[k]);
        if (at + k >= end || (next == row && at + k + 1 < end)) continue;  // the run goes on
        const bool last_run = at + k + 1 == end;
        if (c < cols) {
          const int64_t part = static_cast<int64_t>(tile) * cols + c;
          if (first_run && continues)
            *reinterpret_cast<float4*>(&continued[part]) = sum;
          else if (last_run && goes_on)
            *reinterpret_cast<float4*>(&opened[part]) = sum;
          else
            update(table + static_cast<int64_t>(row) * cols + c, sum, rate);
        }
        sum = {};
        first_run = false;
      }
    }
  }
}

// Adds up the parts of the run that tile `tile` has opened, and updates its row. For all threads of
// the block.
__device__ void close_run(const Entry* sorted, float rate, float* table, int cols, int lookups,
                          int tile) {
  __shared__ float4 parts[kCloseWarps][32];  // [warp][lane]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int tiles = (lookups + kTile - 1) / kTile;
  const uint32_t row = sorted[(tile + 1) * kTile - 1].row;
  int last = tile + 1;  // of the tiles that the run reaches: those that begin with its row
  for (bool all = true; all;) {
    const int ahead = last + threadIdx.x;
    const int reached =
        __syncthreads_count(ahead < tiles && sorted[min(ahead * kTile, lookups - 1)].row == row);
    last += reached;
    all = reached == kCloseThreads;
  }
  for (int chunk = 0; chunk < cols; chunk += 128) {
    const int c = chunk + 4 * lane;
    float4 sum = {};
#pragma unroll 8
    for (int t = tile + 1 + warp; t < last; t += kCloseWarps)
      if (c < cols)
        add(sum, *reinterpret_cast<const float4*>(&continued[static_cast<int64_t>(t) * cols + c]));
    parts[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && c < cols) {
      sum = *reinterpret_cast<const float4*>(&opened[static_cast<int64_t>(tile) * cols + c]);
      for (int w = 0; w < kCloseWarps; ++w)
        add(sum, parts[w][lane]);
      update(table + static_cast<int64_t>(row) * cols + c, sum, rate);
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kCloseThreads)
    close_runs(const Entry* sorted, float rate, float* table, int cols, int lookups) {
  __shared__ bool opens[kCloseWarps];  // [tile of the block]
  const int first = blockIdx.x * kCloseWarps;
  if (threadIdx.x < kCloseWarps)
    opens[threadIdx.x] = opens_run(sorted, lookups, first + threadIdx.x);
  __syncthreads();
  for (int w = 0; w < kCloseWarps; ++w)
    if (opens[w]) close_run(sorted, rate, table, cols, lookups, first + w);
}

}  // namespace

extern "C" void embedding_update(const __nv_bfloat16* gradient, const int64_t* indices, float rate,
                                 float* table, int rows, int cols, int lookups,
                                 cudaStream_t stream) {
  const Entry* sorted = sort_by_row(indices, rows, lookups, stream);
  const int tiles = (lookups + kTile - 1) / kTile;
  add_runs<<<(tiles + kWarps - 1) / kWarps, kThreads, 0, stream>>>(sorted, gradient, rate, table,
                                                                   cols, lookups);
  close_runs<<<(tiles + kCloseWarps - 1) / kCloseWarps, kCloseThreads, 0, stream>>>(
      sorted, rate, table, cols, lookups);
}
