// The barrier of a whole grid: a counter in global memory, and arrivals that ask for no answer.
#pragma once

#include <cuda_runtime.h>

static __device__ unsigned arrived, ended;  // blocks; both 0 when no kernel runs

// Barrier number n of a kernel, counted from 1, is complete at n * gridDim.x arrivals.
__device__ inline void grid_barrier(unsigned number) {
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&arrived) : "memory");
    unsigned now;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&arrived) : "memory");
    } while (now < number * gridDim.x);
  }
  __syncthreads();
}

// The last block sets the counters back for the next call.
__device__ inline void reset_grid_barrier() {
  if (threadIdx.x == 0 && atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1)
    atomicExch(&arrived, 0);
}
