// sum = in + residual and out = layer_norm(sum): one read of both inputs, two outputs.
//
// The next layers need both results: `sum` goes on along the residual path, `out` into the next
// block. Kernel by kernel, `sum` is stored, and loaded again for the mean, for the variance and for
// the result. A row fits in the registers of a block, so it is loaded once:
//
//     in, residual -> sum (rounded to bf16, stored, and kept in registers)
//                  -> mean      = sum of the row / cols                  over the block
//                  -> variance  = sum of (x - mean)^2 / cols             over the block, again
//                  -> out       = (x - mean) / sqrt(variance + epsilon) * weight + bias
//
// Two passes over registers cost two block-wide sums instead of one. The short form, E[x^2] -
// mean^2, needs one, and is wrong: if the mean is large against the deviations, both squares agree
// in nearly all digits, and the difference has none left.
//
// A block has one row. A thread has kVectors vectors of it, kept as bf16: 4 registers each.
//
//     ./ridge grade 07-fused-elementwise/5-residual-layer-norm
#include "fused.h"
#include "vectors.h"

namespace {

constexpr unsigned kAll = 0xffffffff;

// The sum over all threads of the block, in every thread. `parts` is not used by another sum.
template <int kThreads>
__device__ float block_sum(float mine, float (&parts)[kThreads / 32]) {
  // TODO (about 8 lines): the sum of the warp with __shfl_xor_sync, one word per warp in `parts`, a
  // barrier, and the sum of these words in every thread. Until you do, a thread has its own part.
  return mine;
}

// The vectors of a thread are threadIdx.x, threadIdx.x + kThreads, ... below `vectors`.
template <int kThreads, int kVectors>
__global__ void __launch_bounds__(kThreads)
    layer_norm_block_per_row(const uint4* in, const uint4* residual, const uint4* weight,
                             const uint4* bias, float epsilon, uint4* sum, uint4* out,
                             int vectors) {
  __shared__ float of_mean[kThreads / 32], of_variance[kThreads / 32];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * vectors;
  const float one_over_cols = 1.0f / static_cast<float>(vectors * kPerVector);
  uint4 kept[kVectors], added[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int v = threadIdx.x + k * kThreads;
    if (v < vectors) kept[k] = in[row + v], added[k] = residual[row + v];
  }
  float total = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int v = threadIdx.x + k * kThreads;
    if (v >= vectors) break;
    // TODO (about 8 lines): add the two vectors, round the result to kept[k], store it, and add
    // what is stored (rounded!) to `total`. Until you do, `sum` is not written.
  }
  const float mean = block_sum<kThreads>(total, of_mean) * one_over_cols;
  // TODO (about 20 lines): the squares of (x - mean) of all kept elements, their block_sum() (in
  // of_variance), the variance, and 1 / sqrt(variance + epsilon). Then the result of each vector,
  // with its weight and bias. Until you do, `out` is not written.
}

}  // namespace

extern "C" void residual_layer_norm(const __nv_bfloat16* in, const __nv_bfloat16* residual,
                                    const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                                    float epsilon, __nv_bfloat16* sum, __nv_bfloat16* out, int rows,
                                    int cols, cudaStream_t stream) {
  const int vectors = cols / kPerVector;
  const auto launch = [&](auto kernel, int threads) {
    kernel<<<rows, threads, 0, stream>>>(
        reinterpret_cast<const uint4*>(in), reinterpret_cast<const uint4*>(residual),
        reinterpret_cast<const uint4*>(weight), reinterpret_cast<const uint4*>(bias), epsilon,
        reinterpret_cast<uint4*>(sum), reinterpret_cast<uint4*>(out), vectors);
  };
  if (vectors <= 128)
    launch(layer_norm_block_per_row<64, 2>, 64);
  else if (vectors <= 512)
    launch(layer_norm_block_per_row<256, 2>, 256);
  else if (vectors <= 1024)
    launch(layer_norm_block_per_row<256, 4>, 256);
  else if (vectors <= 2048)
    launch(layer_norm_block_per_row<512, 4>, 512);
  else
    launch(layer_norm_block_per_row<1024, 8>, 1024);
}
