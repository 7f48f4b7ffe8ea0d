// expect: RACE
// The next row's sums go where a slower block still reads this row's.
#include "cluster.h"
#include "reductions.h"
#include "row_quads.h"

namespace {

constexpr int kQuads = 8;  // float4 of its row that a thread keeps: 32 floats

__device__ float warp_sum(float value) {  // every lane has it
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, d);
  return value;
}

// place: 0 and 1 in turn, so that a warp that still reads one sum is in nobody's way.
template <int kThreads>
__device__ float block_sum(float value, int place) {  // every thread has it
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
  extern __shared__ float4 own_weight[];   // [kQuads][kThreads]
  __shared__ float of_blocks[2][kBlocks];  // [place][rank]
  cluster_arrive();
  const int rank = cluster_rank(), first_row = blockIdx.x / kBlocks, clusters = gridDim.x / kBlocks;
  const bool aligned = cols % 4 == 0;
  const int turns = (cols - 1) / (4 * kThreads * kQuads * kBlocks) + 1;  // 1: the cluster keeps a row
  float4 x[kQuads];
  const auto piece = [&](int turn, int q) { return (turn * kQuads + q) * kBlocks + rank; };
  const auto load = [&](int row, int turn) {
#pragma unroll
    for (int q = 0; q < kQuads; ++q)
      x[q] = load_quad<kThreads>(in + static_cast<size_t>(row) * cols, cols, aligned, piece(turn, q), 0.0f);
  };
  for (int row = first_row, place = 0; row < rows; row += clusters, place ^= 1) {
    float sum = 0;  // of the squares
    for (int turn = 0; turn < turns; ++turn) {
      load(row, turn);
      for (float4 v : x)
        sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    if (row == first_row) {
#pragma unroll
      for (int q = 0; q < kQuads; ++q)
        keep_quad<kThreads>(&own_weight[q * kThreads + threadIdx.x], weight, cols, aligned, piece(0, q));
    }
    sum = block_sum<kThreads>(sum, 0);
    if (kBlocks > 1) {
      if (row == first_row) cluster_wait();
      if (threadIdx.x < kBlocks) *in_block(&of_blocks[0][rank], threadIdx.x) = sum;
      cluster_sync();
      sum = 0;
      for (float of_block : of_blocks[0])
        sum += of_block;
    }
    if (row == first_row) wait_for_kept_quads();
    const float f = rsqrtf(sum / cols + epsilon);
    for (int turn = 0; turn < turns; ++turn) {
      if (turns > 1) load(row, turn);  // not all of the row fits: load it a second time
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        const float4 w = turn == 0 ? own_weight[q * kThreads + threadIdx.x]
                                   : load_quad<kThreads>(weight, cols, aligned, piece(turn, q), 0.0f);
        store_quad<kThreads>(
            out + static_cast<size_t>(row) * cols, cols, aligned, piece(turn, q),
            make_float4(x[q].x * f * w.x, x[q].y * f * w.y, x[q].z * f * w.z, x[q].w * f * w.w));
      }
    }
  }
}

template <int kBlocks, int kThreads, int kRows>
void launch(const float* in, const float* weight, float epsilon, float* out, int rows, int cols,
            cudaStream_t stream) {
  const auto kernel = rms_norm_weight_kept<kBlocks, kThreads>;
  constexpr int kBytes = kQuads * kThreads * sizeof(float4);  // more than the 48 KB that need no permission
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  kernel<<<(rows - 1) / kRows * kBlocks + kBlocks, kThreads, kBytes, stream>>>(in, weight, epsilon, out, rows,
                                                                               cols);
}

}  // namespace

extern "C" void rms_norm(const float* in, const float* weight, float epsilon, float* out, int rows, int cols,
                         cudaStream_t stream) {
  const auto run = cols <= 32768    ? launch<1, 1024, 2>
                   : cols <= 65536  ? launch<4, 512, 3>
                   : cols <= 131072 ? launch<8, 512, 3>
                                    : launch<8, 1024, 35>;
  run(in, weight, epsilon, out, rows, cols, stream);
}
