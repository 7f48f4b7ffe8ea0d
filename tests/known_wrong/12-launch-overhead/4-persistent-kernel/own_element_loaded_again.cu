// expect: SLOW
// x goes through memory from step to step.
#include "decode.h"

namespace {

__device__ float exchanged[2][kMostWidth];  // [step % 2][element]: what the other threads read
__device__ unsigned arrived, ended;         // blocks; both 0 when no kernel runs

__device__ void arrive(unsigned* counter) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
__device__ unsigned load_acquire(const unsigned* counter) {
  unsigned now;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
  return now;
}

// Waits for all blocks of the grid. `complete` is the count at which this barrier is complete.
__device__ void grid_barrier(unsigned complete) {
  __syncthreads();  // all threads of the block have stored
  if (threadIdx.x == 0) {
    arrive(&arrived);
    while (load_acquire(&arrived) < complete) {
    }
  }
  __syncthreads();  // and none goes on before thread 0 has seen the others
}

__global__ void __launch_bounds__(kThreads)
    decode_persistent(const float* tokens, const float* weights, float* out, int count, int layers,
                      int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const bool has_element = i < width;
  float x = 0;           // this thread's element, from step to step
  unsigned barrier = 0;  // the number of barriers so far
  for (int t = 0; t < count; ++t) {
    if (has_element) x = tokens[row_start(t, width) + i] + 0.5f * x;
    for (int layer = 0; layer < layers; ++layer) {
      float* const row = exchanged[barrier % 2];
      if (has_element) row[i] = x;
      grid_barrier(++barrier * gridDim.x);
      if (has_element)
        x = 0.5f *
            (row[i] + weights[row_start(layer, width) + i] * row[other_element(i, layer, width)]);
    }
    if (has_element) out[row_start(t, width) + i] = x;
  }
  // The last block sets the counters back for the next call.
  if (threadIdx.x == 0 && atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1)
    atomicExch(&arrived, 0);
}

}  // namespace

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream) {
  void* arguments[] = {&tokens, &weights, &out, &count, &layers, &width};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(decode_persistent),
                              dim3(blocks_for(width)), dim3(kThreads), arguments, 0, stream);
}
