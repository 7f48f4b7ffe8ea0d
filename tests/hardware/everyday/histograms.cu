// Histograms and other sums by atomics, in global memory and in shared memory.
#include <cuda_fp16.h>

#include "everyday.h"

constexpr int kCount = 16384, kThreads = 256, kBlocks = 16;

__global__ void global_bins(const unsigned char* in, unsigned* bins, int count) {
  for (int i = global_index(); i < count; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[in[i]], 1u);
}

__global__ void shared_bins(const unsigned char* in, unsigned* bins, int count) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = global_index(); i < count; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

// One counter for the block: all lanes add the same constant to the same word.
__global__ void count_matches(const int* in, int* out, int wanted) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[global_index()] % 4 == wanted) atomicAdd(&found, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}

__global__ void count_all(int* out) {
  __shared__ int found[2];
  if (threadIdx.x < 2) found[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&found[0], 1);
  atomicSub(&found[1], 3);
  __syncthreads();
  if (threadIdx.x < 2) out[2 * blockIdx.x + threadIdx.x] = found[threadIdx.x];
}

// The result is used: each lane gets its place.
__global__ void places_in_bins(const unsigned char* in, unsigned* places) {
  __shared__ unsigned next[8];
  if (threadIdx.x < 8) next[threadIdx.x] = 0;
  __syncthreads();
  const int i = global_index();
  places[i] = atomicAdd(&next[in[i] & 7], 1u);
}

__global__ void sum_by_class(const float* in, const int* classes, float* out, int count) {
  __shared__ float sums[32];
  if (threadIdx.x < 32) sums[threadIdx.x] = 0;
  __syncthreads();
  const int i = global_index();
  if (i < count) atomicAdd(&sums[classes[i]], in[i]);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], sums[threadIdx.x]);
}

__global__ void sum_of_block(const float* in, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[global_index()]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void sum_of_warps(const float* in, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float mine = in[global_index()];
  for (int offset = 16; offset > 0; offset /= 2)
    mine += __shfl_down_sync(0xffffffffu, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void sum_doubles(const double* in, double* out) {
  __shared__ double sums[4];
  if (threadIdx.x < 4) sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sums[threadIdx.x % 4], in[global_index()]);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&out[threadIdx.x], sums[threadIdx.x]);
}

__global__ void weighted_bins(const unsigned char* in, const unsigned* weights, unsigned long long* bins) {
  __shared__ unsigned long long mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  const int i = global_index();
  atomicAdd(&mine[in[i] & 63], static_cast<unsigned long long>(weights[i]));
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

// A histogram per warp, added up at the end.
__global__ void bins_per_warp(const unsigned* in, unsigned* partial, int words) {
  __shared__ unsigned bins[kThreads / 32][64];
  unsigned* mine = bins[threadIdx.x / 32];
  for (int b = threadIdx.x & 31; b < 64; b += 32)
    mine[b] = 0;
  __syncwarp();
  for (int i = global_index(); i < words; i += blockDim.x * gridDim.x) {
    const unsigned four = in[i];
    atomicAdd(&mine[(four >> 2) & 63], 1u);
    atomicAdd(&mine[(four >> 10) & 63], 1u);
    atomicAdd(&mine[(four >> 18) & 63], 1u);
    atomicAdd(&mine[(four >> 26) & 63], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < kThreads / 32; ++w)
      sum += bins[w][threadIdx.x];
    partial[blockIdx.x * 64 + threadIdx.x] = sum;
  }
}

// Threads count in bytes of their own, without atomics.
__global__ void bins_of_bytes(const unsigned char* in, unsigned* bins, int per_thread) {
  __shared__ unsigned char mine[16 * 64];
  for (int b = 0; b < 16; ++b)
    mine[b * 64 + threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < per_thread; ++k)
    ++mine[(in[(blockIdx.x * per_thread + k) * 64 + threadIdx.x] & 15) * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int t = 0; t < 64; ++t)
      sum += mine[threadIdx.x * 64 + t];
    atomicAdd(&bins[threadIdx.x], sum);
  }
}

__global__ void bins_by_match(const int* in, unsigned* bins) {
  const int bin = in[global_index()] & 15;
  const unsigned same = __match_any_sync(0xffffffffu, bin);
  if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&bins[bin], __popc(same));
}

__global__ void extremes(const int* in, int* out) {
  __shared__ int low, high;
  if (threadIdx.x == 0) {
    low = 1 << 30;
    high = -1;
  }
  __syncthreads();
  const int value = in[global_index()];
  atomicMin(&low, value);
  atomicMax(&high, value);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicMin(&out[0], low);
    atomicMax(&out[1], high);
  }
}

__device__ float atomic_max_float(float* address, float value) {
  int* word = reinterpret_cast<int*>(address);
  int old = *word, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= value) break;
    old = atomicCAS(word, assumed, __float_as_int(value));
  } while (old != assumed);
  return __int_as_float(old);
}

__global__ void max_by_compare_and_swap(const float* in, float* out) {
  const int i = global_index();
  atomic_max_float(&out[i % 1000], in[i]);
}

__global__ void ring_of_slots(unsigned* slots, unsigned* counter) {
  const unsigned slot = atomicInc(counter, 1023);
  slots[slot] = slot;
}

__global__ void half_sums(const __half2* in, __half2* out) {
  const int i = global_index();
  atomicAdd(&out[i % 512], in[i]);
}

__global__ void flags_of_bits(const int* in, unsigned* words) {
  __shared__ unsigned seen[8];
  if (threadIdx.x < 8) seen[threadIdx.x] = 0;
  __syncthreads();
  const int value = in[global_index()] & 255;
  atomicOr(&seen[value >> 5], 1u << (value & 31));
  __syncthreads();
  if (threadIdx.x < 8) atomicOr(&words[threadIdx.x], seen[threadIdx.x]);
}

int main() {
  unsigned char* bytes = random_integers<unsigned char>(kCount, 256);
  int* integers = random_integers(kCount, 1000);
  float* reals = random_reals(kCount);
  unsigned* out = device_array<unsigned>(kCount);
  global_bins<<<kBlocks, kThreads>>>(bytes, out, kCount);
  shared_bins<<<kBlocks, kThreads>>>(bytes, out, kCount - 17);
  count_matches<<<kBlocks, kThreads>>>(integers, reinterpret_cast<int*>(out), 1);
  count_all<<<kBlocks, kThreads>>>(reinterpret_cast<int*>(out));
  places_in_bins<<<kBlocks, kThreads>>>(bytes, out);
  sum_by_class<<<kBlocks, kThreads>>>(reals, random_integers(kCount, 32), device_array<float>(32), 4000);
  sum_of_block<<<kBlocks, kThreads>>>(reals, device_array<float>(kBlocks));
  sum_of_warps<<<kBlocks, kThreads>>>(reals, device_array<float>(kBlocks));
  sum_doubles<<<kBlocks, kThreads>>>(random_reals<double>(kCount), device_array<double>(4));
  weighted_bins<<<kBlocks, kThreads>>>(bytes, random_integers<unsigned>(kCount, 100),
                                       device_array<unsigned long long>(64));
  bins_per_warp<<<kBlocks, kThreads>>>(random_integers<unsigned>(kCount, 0xffffffffu), out, kCount - 100);
  bins_of_bytes<<<kBlocks, 64>>>(bytes, out, 12);
  bins_by_match<<<kBlocks, kThreads>>>(integers, out);
  extremes<<<kBlocks, kThreads>>>(integers, reinterpret_cast<int*>(out));
  max_by_compare_and_swap<<<kBlocks, kThreads>>>(reals, device_array<float>(1000));
  ring_of_slots<<<4, kThreads>>>(out, device_array<unsigned>(1));
  half_sums<<<kBlocks, kThreads>>>(device_array<__half2>(kCount), device_array<__half2>(512));
  flags_of_bits<<<kBlocks, kThreads>>>(integers, out);
  finish();
}
