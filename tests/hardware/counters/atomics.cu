// Atomics, in shared memory and in global memory, to one address and to many, with and without an answer.
#include "micro_kernel.h"

constexpr int kBlocks = 32, kThreads = 256;

// `stride` words between the lanes' addresses; 0: one address for the warp. The value differs by lane so that the
// compiler cannot add the warp up first.
template <int stride>
__global__ void shared_atomic(unsigned* out) {
  __shared__ unsigned sums[32 * (stride == 0 ? 1 : stride)];
  if (threadIdx.x < 32) sums[threadIdx.x * (stride == 0 ? 1 : stride)] = 0;
  __syncthreads();
  atomicMax(&sums[threadIdx.x % 32 * stride], threadIdx.x * 7 % 31);
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = sums[0];
}

__global__ void shared_atomic_exchange(unsigned* out) {
  __shared__ unsigned slots[32];
  if (threadIdx.x < 32) slots[threadIdx.x] = 0;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = atomicExch(&slots[threadIdx.x % 32], threadIdx.x) & 1;
}

template <int stride>
__global__ void global_reduction(unsigned* sums) {
  atomicMax(&sums[threadIdx.x % 32 * stride], threadIdx.x * 7 % 31);
}

template <int stride>
__global__ void global_reduction_float(float* sums) {
  atomicAdd(&sums[(blockIdx.x * kThreads + threadIdx.x) * stride], 1.0f);
}

template <int stride>
__global__ void global_atomic(unsigned* sums, unsigned* out) {
  out[blockIdx.x * kThreads + threadIdx.x] =
      atomicExch(&sums[(blockIdx.x * kThreads + threadIdx.x) * stride], threadIdx.x) & 1;
}

__global__ void global_compare_swap(unsigned* sums, unsigned* out) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  out[i] = atomicCAS(&sums[i], 0u, i);
}

int main() {
  unsigned* sums = device_array<unsigned>(kBlocks * kThreads * 8);
  unsigned* out = device_array<unsigned>(kBlocks * kThreads);
  shared_atomic<0><<<kBlocks, kThreads>>>(out);
  shared_atomic<1><<<kBlocks, kThreads>>>(out);
  shared_atomic<2><<<kBlocks, kThreads>>>(out);
  shared_atomic<32><<<kBlocks, kThreads>>>(out);
  shared_atomic_exchange<<<kBlocks, kThreads>>>(out);
  global_reduction<0><<<kBlocks, kThreads>>>(sums);
  global_reduction<1><<<kBlocks, kThreads>>>(sums);
  global_reduction<8><<<kBlocks, kThreads>>>(sums);
  global_reduction_float<1><<<kBlocks, kThreads>>>(reinterpret_cast<float*>(sums));
  global_reduction_float<8><<<kBlocks, kThreads>>>(reinterpret_cast<float*>(sums));
  global_atomic<1><<<kBlocks, kThreads>>>(sums, out);
  global_atomic<8><<<kBlocks, kThreads>>>(sums, out);
  global_compare_swap<<<kBlocks, kThreads>>>(sums, out);
  finish();
}
