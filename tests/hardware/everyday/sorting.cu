// Sorting and merging: in shared memory, in registers, between blocks.
#include "everyday.h"

constexpr int kCount = 16384, kThreads = 256;

// Every block sorts 512 values: all stages of the bitonic network in shared memory.
__global__ void bitonic_sort_shared(int* keys, int* values) {
  __shared__ int s_key[512];
  __shared__ int s_value[512];
  const int base = blockIdx.x * 512;
  s_key[threadIdx.x] = keys[base + threadIdx.x];
  s_value[threadIdx.x] = values[base + threadIdx.x];
  s_key[threadIdx.x + 256] = keys[base + threadIdx.x + 256];
  s_value[threadIdx.x + 256] = values[base + threadIdx.x + 256];
  for (unsigned size = 2; size <= 512; size <<= 1) {
    const bool ascending = (threadIdx.x & (size / 2)) == 0;
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const int left = s_key[at], right = s_key[at + stride];
      if ((left > right) == ascending) {
        s_key[at] = right;
        s_key[at + stride] = left;
        const int kept = s_value[at];
        s_value[at] = s_value[at + stride];
        s_value[at + stride] = kept;
      }
    }
  }
  __syncthreads();
  keys[base + threadIdx.x] = s_key[threadIdx.x];
  values[base + threadIdx.x] = s_value[threadIdx.x];
  keys[base + threadIdx.x + 256] = s_key[threadIdx.x + 256];
  values[base + threadIdx.x + 256] = s_value[threadIdx.x + 256];
}

// Only the last stages, strides of a block and below.
template <int block>
__global__ void bitonic_merge_shared(unsigned* data, unsigned size) {
  __shared__ unsigned tile[2 * block];
  unsigned* mine = data + blockIdx.x * 2 * block;
  tile[threadIdx.x] = mine[threadIdx.x];
  tile[threadIdx.x + block] = mine[threadIdx.x + block];
  const unsigned comparator = blockIdx.x * block + threadIdx.x;
  const unsigned direction = (comparator & (size / 2)) != 0;
#pragma unroll
  for (unsigned stride = block; stride > 0; stride >>= 1) {
    __syncthreads();
    const unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    const unsigned a = tile[at], b = tile[at + stride];
    if ((a > b) != direction) {
      tile[at] = b;
      tile[at + stride] = a;
    }
  }
  __syncthreads();
  mine[threadIdx.x] = tile[threadIdx.x];
  mine[threadIdx.x + block] = tile[threadIdx.x + block];
}

__global__ void bitonic_step_global(int* data, int stride, int size) {
  const int i = global_index();
  const int partner = i ^ stride;
  if (partner > i) {
    if ((i & size) == 0) {
      if (data[i] > data[partner]) {
        const int kept = data[i];
        data[i] = data[partner];
        data[partner] = kept;
      }
    } else {
      if (data[i] < data[partner]) {
        const int kept = data[i];
        data[i] = data[partner];
        data[partner] = kept;
      }
    }
  }
}

__global__ void odd_even_transposition(float* data, int per_block) {
  extern __shared__ float line[];
  const int base = blockIdx.x * per_block;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    line[i] = data[base + i];
  __syncthreads();
  for (int phase = 0; phase < per_block; ++phase) {
    const int at = 2 * threadIdx.x + (phase & 1);
    if (at + 1 < per_block && line[at] > line[at + 1]) {
      const float kept = line[at];
      line[at] = line[at + 1];
      line[at + 1] = kept;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    data[base + i] = line[i];
}

__device__ int crossing(const int* a, int a_count, const int* b, int b_count, int diagonal) {
  int low = max(0, diagonal - b_count), high = min(diagonal, a_count);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Each thread finds where its part of the output begins and merges `per_thread` values.
__global__ void merge_path(const int* a, const int* b, int* out, int count, int per_thread) {
  const int first = global_index() * per_thread;
  if (first >= 2 * count) return;
  int i = crossing(a, count, b, count, first);
  int j = first - i;
  for (int k = 0; k < per_thread; ++k) {
    if (j >= count || (i < count && a[i] <= b[j]))
      out[first + k] = a[i++];
    else
      out[first + k] = b[j++];
  }
}

// Neighbouring runs of `width` are merged, one pair of runs per thread.
__global__ void merge_pass(const int* in, int* out, int width, int count) {
  const int begin = global_index() * 2 * width;
  if (begin >= count) return;
  const int middle = min(begin + width, count), end = min(begin + 2 * width, count);
  int i = begin, j = middle;
  for (int k = begin; k < end; ++k)
    out[k] = i < middle && (j >= end || in[i] < in[j]) ? in[i++] : in[j++];
}

__global__ void rank_sort(const float* in, float* out, int count) {
  const int i = global_index();
  if (i >= count) return;
  const float mine = in[i];
  int rank = 0;
  for (int j = 0; j < count; ++j)
    rank += in[j] < mine || (in[j] == mine && j < i);
  out[rank] = mine;
}

// A bitonic network over the lanes of a warp.
__global__ void warp_sort(int* data) {
  const int lane = threadIdx.x & 31;
  int mine = data[global_index()];
  for (int size = 2; size <= 32; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = __shfl_xor_sync(0xffffffffu, mine, stride);
      const bool up = (lane & size) == 0, lower = (lane & stride) == 0;
      mine = (up == lower) ? min(mine, other) : max(mine, other);
    }
  data[global_index()] = mine;
}

__global__ void insertion_sort_rows(float* data, int rows) {
  const int row = global_index();
  if (row >= rows) return;
  float* line = data + row * 12;
  for (int i = 1; i < 12; ++i) {
    const float key = line[i];
    int j = i - 1;
    while (j >= 0 && line[j] > key) {
      line[j + 1] = line[j];
      --j;
    }
    line[j + 1] = key;
  }
}

// One bit of a radix sort: zeros first, ones behind, within the block.
__global__ void radix_split(unsigned* data, int bit) {
  __shared__ unsigned sums[kThreads];
  const int t = threadIdx.x;
  const unsigned key = data[global_index()];
  const unsigned zero = ((key >> bit) & 1) == 0;
  sums[t] = zero;
  __syncthreads();
  for (int offset = 1; offset < kThreads; offset *= 2) {
    const unsigned before = t >= offset ? sums[t - offset] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  const unsigned zeros = sums[kThreads - 1];
  const unsigned at = zero ? sums[t] - 1 : zeros + t - sums[t];
  data[blockIdx.x * kThreads + at] = key;
}

__global__ void radix_histogram(const unsigned* keys, unsigned* counts, int count, int shift) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = global_index(); i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[(keys[i] >> shift) & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

int main() {
  int* keys = random_integers(kCount, 1u << 30);
  int* values = device_values<int>(kCount, [](size_t i) { return i; });
  unsigned* words = random_integers<unsigned>(kCount, 1u << 31, 2);
  float* reals = random_reals(kCount);
  bitonic_sort_shared<<<kCount / 512, 256>>>(keys, values);
  bitonic_merge_shared<128><<<kCount / 256, 128>>>(words, 256);
  bitonic_merge_shared<512><<<kCount / 1024, 512>>>(words, 2048);
  bitonic_step_global<<<kCount / kThreads, kThreads>>>(keys, 64, 1024);
  odd_even_transposition<<<16, 64, 128 * sizeof(float)>>>(reals, 128);
  int* a = device_values<int>(kCount, [](size_t i) { return 3 * i + number_at(i) % 3; });
  int* b = device_values<int>(kCount, [](size_t i) { return 3 * i + number_at(i, 2) % 3; });
  int* out = device_array<int>(2 * kCount);
  merge_path<<<32, 128>>>(a, b, out, kCount, 8);
  merge_pass<<<8, 128>>>(random_integers(kCount, 1000, 3), out, 8, kCount);
  rank_sort<<<4, 128>>>(random_reals(500, 4), reinterpret_cast<float*>(out), 500);
  warp_sort<<<kCount / kThreads, kThreads>>>(random_integers(kCount, 1u << 20, 5));
  insertion_sort_rows<<<8, 128>>>(random_reals(12 * 1000, 6), 1000);
  radix_split<<<32, kThreads>>>(words, 3);
  radix_histogram<<<16, kThreads>>>(words, reinterpret_cast<unsigned*>(out), kCount, 4);
  finish();
}
