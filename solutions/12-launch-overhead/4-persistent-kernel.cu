// One persistent kernel: a barrier of all blocks instead of a launch.
//
// Hypothesis: between two steps a launch drains the GPU, restarts all blocks and loads again
// what they had. Eight blocks are enough for a row, and eight blocks can be a cluster: its barrier
// is an instruction, and what they exchange need not leave their shared memory.
// What changed: one launch of one cluster for all tokens. Each thread keeps its elements of x in
// registers; it stores them to its block's shared memory, arrives, loads the weights, waits, and
// loads the one other element that it needs from the block that has it.
// What that bought: a launch for the whole call, and 4 bytes of global memory loaded per element
// and step, not 12.
//
//     ./ridge grade 12-launch-overhead/4-persistent-kernel --solution
// Measured on an H200: 245.9% of CUDA graph (course/measured/nvidia-h200).
#include "cluster.h"
#include "decode.h"

namespace {

constexpr int kBlocks = 8;  // of the cluster, and of the grid
constexpr int kBlockThreads = 512;
constexpr int kAll = kBlocks * kBlockThreads;

// Element i belongs to block i / kBlockThreads % kBlocks: this is its place in the block's row.
__device__ int place_of(int i) {
  return i / kAll * kBlockThreads + i % kBlockThreads;
}

// Where element i of a row is: in the shared memory of its block.
__device__ const float* in_cluster(float* row, int i) {
  return in_block(row + place_of(i), i / kBlockThreads % kBlocks);
}

// kParts: elements per thread. One thread has the elements own, own + kAll, own + 2 kAll, ...
template <int kParts>
__global__ void __cluster_dims__(kBlocks) __launch_bounds__(kBlockThreads)
    decode_persistent(const float* tokens, const float* weights, float* out, int count, int layers,
                      int width) {
  extern __shared__ float rows[];  // [step % 2][part][thread]: what the other threads read
  const int own = cluster_rank() * kBlockThreads + threadIdx.x;
  float x[kParts] = {};  // this thread's elements, from step to step
  unsigned step = 0;
  for (int t = 0; t < count; ++t) {
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      if (const int i = own + p * kAll; i < width)
        x[p] = tokens[row_start(t, width) + i] + 0.5f * x[p];
    for (int layer = 0; layer < layers; ++layer) {
      float* const row = rows + step++ % 2 * (kParts * kBlockThreads);
#pragma unroll
      for (int p = 0; p < kParts; ++p)
        row[place_of(own + p * kAll)] = x[p];
      cluster_arrive();
      // The weights and the other element's index need nothing of the other blocks.
      float weight[kParts];
      int other[kParts];
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const int i = own + p * kAll;
        if (i >= width) continue;
        weight[p] = weights[row_start(layer, width) + i];
        other[p] = other_element(i, layer, width);
      }
      cluster_wait();
#pragma unroll
      for (int p = 0; p < kParts; ++p)
        if (own + p * kAll < width) x[p] = 0.5f * (x[p] + weight[p] * *in_cluster(row, other[p]));
    }
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      if (const int i = own + p * kAll; i < width) out[row_start(t, width) + i] = x[p];
  }
  cluster_sync();  // no block ends while another one reads its row
}

template <int kParts>
void launch(const float* tokens, const float* weights, float* out, int count, int layers, int width,
            cudaStream_t stream) {
  const int bytes = 2 * kParts * kBlockThreads * sizeof(float);
  cudaFuncSetAttribute(decode_persistent<kParts>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       bytes);
  decode_persistent<kParts>
      <<<kBlocks, kBlockThreads, bytes, stream>>>(tokens, weights, out, count, layers, width);
}

}  // namespace

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream) {
  const auto run = width <= kAll ? launch<1> : launch<kMostWidth / kAll>;
  run(tokens, weights, out, count, layers, width, stream);
}
