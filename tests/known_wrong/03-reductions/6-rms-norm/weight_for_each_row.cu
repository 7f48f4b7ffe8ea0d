// expect: SLOW
// Right: the weight is loaded once for every row of the block.
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
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    values[r] = warp_sum(values[r]);
    if (lane == 0) of_warps[r][warp] = values[r];
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    values[r] = warp_sum(lane < kThreads / 32 ? of_warps[r][lane] : 0.0f);
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
#pragma unroll
    for (int q = 0; q < kVectors; ++q) {
#pragma unroll 1
      for (int r = 0; r < kRows; ++r) {
        const float4 w = load_float4<kThreads>(weight,
                                               first_row + r < rows ? cols : 0, aligned, first + q, 0.0f);
        asm volatile("" ::: "memory");
        const float4 v = x[r][q];
        const float f = factors[r];
        store_float4<kThreads>(
            out + static_cast<size_t>(first_row + r) * cols, first_row + r < rows ? cols : 0,
            aligned, first + q,
            make_float4(v.x * f * w.x, v.y * f * w.y, v.z * f * w.z, v.w * f * w.w));
      }
    }
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
