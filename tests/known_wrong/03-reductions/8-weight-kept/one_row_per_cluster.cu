// expect: SLOW
// says: The weight for every row
// Every cluster computes one row and ends.
#include "cluster.h"
#include "reductions.h"
#include "row_float4.h"

namespace {

constexpr int kVectors = 8;  // float4 of its row that a thread holds: 32 floats

__device__ float warp_sum(float value) {  // the result is in every lane
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, d);
  return value;
}

// place alternates between 0 and 1, because a warp may still read the previous sum.
template <int kThreads>
__device__ float block_sum(float value, int place) {  // the result is in every thread
  __shared__ float of_warps[2][kThreads / 32];
  const int lane = threadIdx.x % 32;
  value = warp_sum(value);
  if (lane == 0) of_warps[place][threadIdx.x / 32] = value;
  __syncthreads();
  return warp_sum(lane < kThreads / 32 ? of_warps[place][lane] : 0.0f);
}

template <int kBlocks, int kThreads>
__global__ void __cluster_dims__(kBlocks) __launch_bounds__(kThreads, 1024 / kThreads)
    rms_norm_weight_kept(const float* in, const float* weight, float epsilon, float* out, int rows,
                         int cols) {
  extern __shared__ float4 own_weight[];   // [kVectors][kThreads]
  __shared__ float of_blocks[2][kBlocks];  // [place][rank]
  cluster_arrive();
  const int rank = cluster_rank(), first_row = blockIdx.x / kBlocks, clusters = gridDim.x / kBlocks;
  const bool aligned = cols % 4 == 0;
  const int chunks = (cols - 1) / (4 * kThreads * kVectors * kBlocks) +
                     1;  // 1: the row fits into the cluster's registers
  float4 x[kVectors];
  const auto piece = [&](int chunk, int q) { return (chunk * kVectors + q) * kBlocks + rank; };
  const auto load = [&](int row, int chunk) {
#pragma unroll
    for (int q = 0; q < kVectors; ++q)
      x[q] = load_float4<kThreads>(in + static_cast<size_t>(row) * cols, cols, aligned,
                                   piece(chunk, q), 0.0f);
  };
  for (int row = first_row, place = 0; row < rows; row += clusters, place ^= 1) {
    float sum = 0;  // of the squares
    for (int chunk = 0; chunk < chunks; ++chunk) {
      load(row, chunk);
      for (float4 v : x)
        sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    if (row == first_row) {
#pragma unroll
      for (int q = 0; q < kVectors; ++q)
        copy_float4_async<kThreads>(&own_weight[q * kThreads + threadIdx.x], weight, cols, aligned,
                                    piece(0, q));
    }
    sum = block_sum<kThreads>(sum, place);
    if (kBlocks > 1) {
      if (row == first_row) cluster_wait();
      if (threadIdx.x < kBlocks) *in_block(&of_blocks[place][rank], threadIdx.x) = sum;
      cluster_sync();
      sum = 0;
      for (float of_block : of_blocks[place])
        sum += of_block;
    }
    if (row == first_row) wait_for_copies();
    const float f = rsqrtf(sum / cols + epsilon);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      if (chunks > 1) load(row, chunk);  // the row does not fit: load it again
#pragma unroll
      for (int q = 0; q < kVectors; ++q) {
        const float4 w = chunk == 0
                             ? own_weight[q * kThreads + threadIdx.x]
                             : load_float4<kThreads>(weight, cols, aligned, piece(chunk, q), 0.0f);
        store_float4<kThreads>(
            out + static_cast<size_t>(row) * cols, cols, aligned, piece(chunk, q),
            make_float4(x[q].x * f * w.x, x[q].y * f * w.y, x[q].z * f * w.z, x[q].w * f * w.w));
      }
    }
  }
}

template <int kBlocks, int kThreads, int kRows>
void launch(const float* in, const float* weight, float epsilon, float* out, int rows, int cols,
            cudaStream_t stream) {
  const auto kernel = rms_norm_weight_kept<kBlocks, kThreads>;
  constexpr int kBytes = kVectors * kThreads * sizeof(float4);  // more than 48 KB must be requested
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  kernel<<<(rows - 1) / kRows * kBlocks + kBlocks, kThreads, kBytes, stream>>>(in, weight, epsilon,
                                                                               out, rows, cols);
}

}  // namespace

extern "C" void rms_norm(const float* in, const float* weight, float epsilon, float* out, int rows,
                         int cols, cudaStream_t stream) {
  const auto run = cols <= 32768    ? launch<1, 1024, 2>
                   : cols <= 65536  ? launch<4, 512, 1>
                   : cols <= 131072 ? launch<8, 512, 3>
                                    : launch<8, 1024, 35>;
  run(in, weight, epsilon, out, rows, cols, stream);
}
