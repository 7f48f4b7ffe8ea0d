// RMSNorm, several rows per block.
//
// One row per block, as in rung 5, has two costs that grow with the number of rows. Between its
// last load and its first store a block waits for its tree: shuffles, a barrier, shuffles, with
// nothing in flight. And `weight`, which is the same for all rows, is loaded again for each of
// them: as many loads as the row itself.
//
// Give a block kRows rows at once, and each thread correspondingly fewer floats of each row:
//
//     kVectors = 8, kRows = 1    8 loads in flight, 1 barrier per row,     weight once per row
//     kVectors = 2, kRows = 4    8 loads in flight, 1 barrier per 4 rows,  weight once per 4 rows
//
// The trees of the 4 rows are independent: their shuffles overlap, and one barrier serves all of
// them.
//
//     ./ridge grade 03-reductions/6-rms-norm
#include "reductions.h"
#include "row_float4.h"

namespace {

__device__ float warp_sum(float value) {  // the result is in every lane
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, d);
  return value;
}

// Replaces each value by its sum over the block.
template <int kThreads, int kRows>
__device__ void block_sums(float (&values)[kRows]) {
  __shared__ float of_warps[kRows][kThreads / 32];  // [row][warp]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // TODO (about 8 lines): reduce each value over its warp, and let lane 0 store it in of_warps; one
  // barrier for all rows; then every warp adds up the warps' sums of each row (lanes from kThreads
  // / 32 on add 0).
}

template <int kThreads, int kVectors, int kRows>
__global__ void __launch_bounds__(kThreads, 1024 / kThreads)
    rms_norm_rows_at_once(const float* in, const float* weight, float epsilon, float* out, int rows,
                          int cols) {
  constexpr bool kLong =
      kThreads == 1024;  // only these blocks get rows that exceed their registers
  const bool aligned = cols % 4 == 0, kept = !kLong || cols <= 4 * kThreads * kVectors;
  const int first_row = blockIdx.x * kRows;
  float4 x[kRows][kVectors];
  float factors[kRows] = {};  // sums of squares first
  // Loads float4 number first .. first + kVectors - 1 of all rows. A row beyond the last has 0
  // columns.
  const auto load = [&](int first) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float* row = in + static_cast<size_t>(first_row + r) * cols;  // [cols]
#pragma unroll
      for (int q = 0; q < kVectors; ++q)
        x[r][q] =
            load_float4<kThreads>(row, first_row + r < rows ? cols : 0, aligned, first + q, 0.0f);
    }
  };
  for (int first = 0; first == 0 || (kLong && first * 4 * kThreads < cols); first += kVectors) {
    load(first);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      for (float4 v : x[r])
        factors[r] += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
  }
  block_sums<kThreads>(factors);
  for (float& factor : factors)
    factor = rsqrtf(factor / cols + epsilon);
  for (int first = 0; first == 0 || (kLong && first * 4 * kThreads < cols); first += kVectors) {
    if (!kept) load(first);  // the row does not fit: load it again
    // TODO (about 9 lines): for q = 0 .. kVectors - 1: load float4 first + q of `weight` once, and
    // for each row r store x[r][q] * factors[r] * weight with store_float4(). Rows beyond the last
    // have 0 columns, as above. Until you do, nothing is written.
  }
}

template <int kThreads, int kVectors, int kRows>
void launch(const float* in, const float* weight, float epsilon, float* out, int rows, int cols,
            cudaStream_t stream) {
  rms_norm_rows_at_once<kThreads, kVectors, kRows>
      <<<(rows + kRows - 1) / kRows, kThreads, 0, stream>>>(in, weight, epsilon, out, rows, cols);
}

}  // namespace

extern "C" void rms_norm(const float* in, const float* weight, float epsilon, float* out, int rows,
                         int cols, cudaStream_t stream) {
  const auto run = cols <= 1024    ? launch<128, 2, 4>
                   : cols <= 4096  ? launch<512, 2, 4>
                   : cols <= 8192  ? launch<512, 4, 2>
                   : cols <= 16384 ? launch<512, 8, 1>
                                   : launch<1024, 8, 1>;
  run(in, weight, epsilon, out, rows, cols, stream);
}
