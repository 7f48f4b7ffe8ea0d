// The backward pass of rung 3: in_grad = dropout(out_grad), and bias_grad, its sums over the rows.
//
// The gradient of the residual is out_grad itself: nothing to do. The gradient of `in` is out_grad
// where the forward pass kept the element, divided by 1 - p, and 0 elsewhere. The forward pass has
// stored no mask; the seed and the counter give it again. The gradient of the bias is the sum of
// in_grad over all rows, in float32 and before it is rounded to bf16:
//
//     out_grad -> |mask, 1 / (1 - p)| -> in_grad          2 bytes read and 2 written per element
//                         |
//                         +-> sum over rows -> bias_grad  registers, shared memory, atomics
//
// A lane keeps its column of vectors, so it keeps 8 sums in registers for all of its rows. A block
// is 32 vectors wide and kWarps warps high. At its end the warps' sums are added in shared memory,
// and one atomic per column and block goes to memory. bias_grad is set to 0 before.
//
//     ./ridge grade 07-fused-elementwise/4-backward
//
// Hypothesis: as in rung 3, the mask costs nothing that the memory does not cost anyway; sums in
// registers add 8 instructions per vector.
// What changed: no second input; sums of columns.
// What that bought: one kernel for four: 4 bytes per element instead of 12.
// Measured on an H200: 88.9% of the device copy (course/measured/nvidia-h200).
#include <algorithm>

#include "fused.h"
#include "philox.h"
#include "vectors.h"

namespace {

constexpr int kWarps = 8, kThreads = 32 * kWarps;  // per block
constexpr int kPitch = 36;                         // words between two numbers of a lane
constexpr int kInFlight = 2;                       // vectors that a lane loads before it uses one
constexpr int kBlocksPerSm = 4;  // what 64 registers per thread allow; the grid has no more

__device__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key);
    key = make_uint2(key.x + kKeyStep0, key.y + kKeyStep1);
  }
  return counter;
}

// For the 8 columns of a vector: the factor of an element that is kept, 0 for one that is dropped.
__device__ Floats factors(int row, int column, uint2 key, unsigned threshold, float scale) {
  const uint4 a = philox(make_uint4(2 * column, row, 0, 0), key);
  const uint4 b = philox(make_uint4(2 * column + 1, row, 0, 0), key);
  const unsigned words[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  Floats factor;
#pragma unroll
  for (int i = 0; i < kPerVector; ++i)
    factor.of[i] = words[i] >= threshold ? scale : 0.0f;
  return factor;
}

// Adds the sums of the block's warps to bias_grad. Number i of lane l is at parts[warp][36 i + l]:
// the lanes of a warp store to neighbouring words, and the 32 words of 32 neighbouring columns, 36
// (t % 8) + t / 8, are in 32 different banks.
__device__ void add_to_columns(const Floats& sums, float* bias_grad, int cols) {
  __shared__ float parts[kWarps][kPitch * kPerVector];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < kPerVector; ++i)
    parts[warp][kPitch * i + lane] = sums.of[i];
  __syncthreads();
  const int t = threadIdx.x, col = blockIdx.y * kThreads + t;
  if (col >= cols) return;
  float sum = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w)
    sum += parts[w][kPitch * (t % kPerVector) + t / kPerVector];
  atomicAdd(bias_grad + col, sum);
}

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    dropout_backward_columns(const uint4* out_grad, const uint2* seed, unsigned threshold,
                             float scale, uint4* in_grad, float* bias_grad, int rows, int vectors) {
  const int column = blockIdx.y * 32 + threadIdx.x % 32;  // of vectors
  const int first_row = blockIdx.x * kWarps + threadIdx.x / 32, stride = gridDim.x * kWarps;
  const uint2 key = *seed;
  Floats sums = {};
  if (column < vectors)
    for (int begin = first_row; begin < rows; begin += kInFlight * stride) {
      uint4 loaded[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const int row = begin + k * stride;
        if (row < rows) loaded[k] = out_grad[static_cast<int64_t>(row) * vectors + column];
      }
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const int row = begin + k * stride;
        if (row >= rows) break;
        const Floats factor = factors(row, column, key, threshold, scale);
        Floats x = unpacked(loaded[k]);
#pragma unroll
        for (int i = 0; i < kPerVector; ++i) {
          x.of[i] *= factor.of[i];
          sums.of[i] += x.of[i];
        }
        in_grad[static_cast<int64_t>(row) * vectors + column] = packed(x);
      }
    }
  add_to_columns(sums, bias_grad, vectors * kPerVector);
}

}  // namespace

extern "C" void dropout_backward(const __nv_bfloat16* out_grad, const int64_t* seed, float p,
                                 __nv_bfloat16* in_grad, float* bias_grad, int rows, int cols,
                                 cudaStream_t stream) {
  static_assert(kThreads == 32 * kPerVector);  // a thread per column at the end
  const int vectors = cols / kPerVector, wide = (vectors + 31) / 32;
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int rows_per_step = kWarps * kInFlight;
  const int needed = (rows + rows_per_step - 1) / rows_per_step;
  const int room = std::max(1, sms * kBlocksPerSm / wide);
  cudaMemsetAsync(bias_grad, 0, cols * sizeof(float), stream);
  dropout_backward_columns<<<dim3(std::min(needed, room), wide), kThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(out_grad), reinterpret_cast<const uint2*>(seed),
      static_cast<unsigned>(p * 4294967296.0), 1 / (1 - p), reinterpret_cast<uint4*>(in_grad),
      bias_grad, rows, vectors);
}
