// y = A x for a sparse matrix A in CSR: row r has entries offsets[r] to offsets[r + 1] - 1.
//
// The lengths of rows follow a power law when you are timed: most have a few entries, one in eight
// has none, and some have tens of thousands. A transfer task: no parts are given. The statement,
// the sizes and the limits are in transfer.h; scratch.h has memory for intermediate results. The
// grade is your speed in percent of cuSPARSE's product.
//
//     ./ridge grade 13-transfer-tasks/5-spmv
//
// Hypothesis: rows are too uneven to be shared out, but entries are not. Blocks that take equally
// many entries each are limited by the loads of x, whatever the rows are.
// What changed: this is a task of its own. A block multiplies a tile of entries into shared memory,
// then groups of lanes add up the rows that lie in the tile; a row that crosses a border is
// completed with atomics.
// What that bought: the same time for matrices of equal rows and of rows that follow a power law.
// Measured on an H200: 99.8% of cuSPARSE (course/measured/nvidia-h200).
#include <cstdint>

#include "scratch.h"
#include "transfer.h"

namespace {

constexpr unsigned kAll = 0xffffffff;  // all lanes of a warp
constexpr int kThreads = 256, kVectors = 1;
constexpr int kTile = kThreads * kVectors * 4;  // entries per block

// first_rows[t] = the row of entry t * kTile: the last one that begins there or before.
__global__ void find_first_rows(const int* offsets, int rows, int tiles, int* first_rows) {
  const int tile = blockIdx.x * kThreads + threadIdx.x;
  if (tile >= tiles) return;
  const int64_t entry = static_cast<int64_t>(tile) * kTile;
  int low = 0, high = rows;  // offsets[low] <= entry < offsets[high], where high = rows is beyond
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (offsets[middle] <= entry)
      low = middle;
    else
      high = middle;
  }
  first_rows[tile] = low;
}

__global__ void __launch_bounds__(kThreads)
    multiply_tile(const int* offsets, const int* columns, const float* values, const float* x,
                  float* y, int rows, int entries, const int* first_rows) {
  __shared__ float products[kTile];
  const int t = threadIdx.x, begin = blockIdx.x * kTile;
  const int end = entries - begin < kTile ? entries : begin + kTile;
  if (end - begin == kTile) {
    int4 column[kVectors];
    float4 value[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int at = begin / 4 + v * kThreads + t;
      column[v] = __ldcs(reinterpret_cast<const int4*>(columns) + at);
      value[v] = __ldcs(reinterpret_cast<const float4*>(values) + at);
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v)
      reinterpret_cast<float4*>(products)[v * kThreads + t] =
          make_float4(value[v].x * x[column[v].x], value[v].y * x[column[v].y],
                      value[v].z * x[column[v].z], value[v].w * x[column[v].w]);
  } else {
    for (int i = begin + t; i < end; i += kThreads)
      products[i - begin] = values[i] * x[columns[i]];
  }
  __syncthreads();
  const int first = first_rows[blockIdx.x];
  const int last = blockIdx.x + 1 < gridDim.x ? first_rows[blockIdx.x + 1] : rows - 1;
  const int count = last - first + 1;
  int lanes = 1;  // per row: as many as leave no thread without a row, at most a warp
  while (lanes < 32 && count * lanes * 2 <= kThreads)
    lanes *= 2;
  for (int base = 0; base < count; base += kThreads / lanes) {
    const int row = first + base + t / lanes;
    int from = 0, to = 0;  // the row's entries in all
    float sum = 0;
    if (row <= last) {
      from = offsets[row], to = offsets[row + 1];
      const int stop = min(to, end) - begin;
      for (int i = max(from, begin) - begin + t % lanes; i < stop; i += lanes)
        sum += products[i];
    }
    for (int d = lanes / 2; d > 0; d /= 2)
      sum += __shfl_xor_sync(kAll, sum, d);
    if (row > last || t % lanes != 0 || min(to, end) <= max(from, begin)) continue;
    if (from >= begin && to <= end)
      y[row] = sum;
    else
      atomicAdd(&y[row], sum);  // the rest of the row is in other tiles
  }
}

}  // namespace

extern "C" void spmv(const int* offsets, const int* columns, const float* values, const float* x,
                     float* y, int rows, int cols, int entries, cudaStream_t stream) {
  const int tiles = (entries + kTile - 1) / kTile;
  auto* first_rows = static_cast<int*>(scratch(tiles * sizeof(int)));  // [tiles]
  cudaMemsetAsync(y, 0, rows * sizeof(float), stream);  // empty rows, and those of several tiles
  find_first_rows<<<(tiles + kThreads - 1) / kThreads, kThreads, 0, stream>>>(offsets, rows, tiles,
                                                                              first_rows);
  multiply_tile<<<tiles, kThreads, 0, stream>>>(offsets, columns, values, x, y, rows, entries,
                                                first_rows);
}
