// One persistent kernel: a barrier of its blocks instead of a launch.
//
// A launch between two steps does three things: it orders them, it starts new blocks, and it
// throws away everything that threads had in registers. Only the order is needed. A *persistent*
// kernel stays on the machine for all steps; between two of them its blocks wait at a barrier.
//
// A barrier of the whole grid is a counter in global memory: one thread of each block adds 1 to it,
// and then loads it until all blocks have. That is two ways to L2 and back in every step, and what
// the blocks exchange goes there as well: it costs nearly as much as a node of a graph. But a row
// of 4,096 elements is work for 8 blocks of 512 threads, and 8 blocks can be a *cluster*. They run
// at the same time, can read each other's shared memory, and have a barrier in hardware, in two
// halves (cluster.h):
//
//     cluster_arrive()   what this thread stored comes before it
//     cluster_wait()     until all threads have arrived; what they stored can be read behind it
//
// Between the halves a thread can do what needs nothing of the others.
//
// And what only one thread needs stays in its register: x of its own elements is stored for others
// to read, and never loaded again.
//
//     ./ridge grade 12-launch-overhead/4-persistent-kernel
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
  // TODO (1 line): which block has the element? in_block(pointer, rank) of cluster.h gives the
  // address there of a variable of this block.
  return row;
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
      // TODO (about 12 lines): store the elements for the others (also those beyond the width: the
      // row has room), wait at the barrier of the cluster, and mix each with its other element.
      // What can be loaded between the two halves of the barrier? Two rows alternate: why is one
      // not enough?
    }
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      if (const int i = own + p * kAll; i < width) out[row_start(t, width) + i] = x[p];
  }
  // TODO (1 line): another block may still read this block's row. What must it wait for before it
  // ends?
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
