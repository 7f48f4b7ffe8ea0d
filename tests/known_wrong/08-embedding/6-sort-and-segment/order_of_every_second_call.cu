// expect: WRONG
// says: different bits
// Every second call adds the parts of a run in the other order, as when buffers swap their roles.
#include "embedding.h"
#include "sort_by_row.h"
#include "vector_reduction.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kTile = 64, kInFlight = 8;             // entries per warp, of them in flight
constexpr int kMostParts = 2 * ((1 << 27) / kTile);  // floats: tiles * cols, of two tiles or more
constexpr unsigned kAll = 0xffffffff;

__device__ float opened[kMostParts], continued[kMostParts];  // [tile][cols]

__device__ void update(float* row, float4 sum, float rate) {
  float4 old = *reinterpret_cast<const float4*>(row);
  add(old, scaled(sum, -rate));
  *reinterpret_cast<float4*>(row) = old;
}

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
    for (int at = begin; at < end; at += kInFlight) {
      // Lane k has entry at + k, and lane kInFlight the one behind them.
      const bool there = lane <= kInFlight && at + lane < end;
      const Entry mine = there ? sorted[at + lane] : Entry{kPadding, 0xffffffff};
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

__global__ void __launch_bounds__(kThreads)
    close_runs(const Entry* sorted, float rate, float* table, int cols, int lookups, bool other) {
  __shared__ float4 parts[kWarps][32];  // [warp][lane]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tile = blockIdx.x;
  const int begin = tile * kTile, end = begin + kTile;
  if (end >= lookups || sorted[end].row != sorted[end - 1].row) return;  // no run goes on
  const uint32_t row = sorted[end - 1].row;
  if (begin > 0 && sorted[begin - 1].row == row && sorted[begin].row == row)
    return;  // not opened here
  const int tiles = (lookups + kTile - 1) / kTile;
  int last = tile + 1;  // of the tiles that the run reaches: those that begin with its row
  for (bool all = true; all;) {
    const int ahead = last + threadIdx.x;
    const int reached =
        __syncthreads_count(ahead < tiles && sorted[min(ahead * kTile, lookups - 1)].row == row);
    last += reached;
    all = reached == kThreads;
  }
  for (int chunk = 0; chunk < cols; chunk += 128) {
    const int c = chunk + 4 * lane;
    float4 sum = {};
#pragma unroll 8
    for (int t = tile + 1 + warp; t < last; t += kWarps)
      if (c < cols)
        add(sum, *reinterpret_cast<const float4*>(&continued[static_cast<int64_t>(t) * cols + c]));
    parts[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && c < cols) {
      sum = *reinterpret_cast<const float4*>(&opened[static_cast<int64_t>(tile) * cols + c]);
      for (int w = 0; w < kWarps; ++w)
        add(sum, parts[other ? kWarps - 1 - w : w][lane]);
      update(table + static_cast<int64_t>(row) * cols + c, sum, rate);
    }
    __syncthreads();
  }
}

}  // namespace

extern "C" void embedding_update(const __nv_bfloat16* gradient, const int64_t* indices, float rate,
                                 float* table, int rows, int cols, int lookups,
                                 cudaStream_t stream) {
  const Entry* sorted = sort_by_row(indices, rows, lookups, stream);
  const int tiles = (lookups + kTile - 1) / kTile;
  add_runs<<<(tiles + kWarps - 1) / kWarps, kThreads, 0, stream>>>(sorted, gradient, rate, table,
                                                                   cols, lookups);
  static bool other = false;
  other = !other;
  close_runs<<<tiles, kThreads, 0, stream>>>(sorted, rate, table, cols, lookups, other);
}
