// Prefix sums and what is built on them: compaction, run lengths, segments.
#include "everyday.h"

constexpr int kCount = 32768, kThreads = 256;

__global__ void hillis_steele(const int* in, int* out) {
  extern __shared__ int twice[];
  const int n = blockDim.x, t = threadIdx.x;
  int to = 0, from = 1;
  twice[t] = in[global_index()];
  __syncthreads();
  for (int offset = 1; offset < n; offset <<= 1) {
    to = 1 - to;
    from = 1 - from;
    if (t >= offset)
      twice[to * n + t] = twice[from * n + t] + twice[from * n + t - offset];
    else
      twice[to * n + t] = twice[from * n + t];
    __syncthreads();
  }
  out[global_index()] = twice[to * n + t];
}

__global__ void blelloch(const float* in, float* out, float* block_sums, int n) {
  extern __shared__ float tree[];
  const int t = threadIdx.x;
  const int base = blockIdx.x * n;
  int offset = 1;
  tree[2 * t] = in[base + 2 * t];
  tree[2 * t + 1] = in[base + 2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      tree[b] += tree[a];
    }
    offset *= 2;
  }
  if (t == 0) {
    block_sums[blockIdx.x] = tree[n - 1];
    tree[n - 1] = 0;
  }
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      const float kept = tree[a];
      tree[a] = tree[b];
      tree[b] += kept;
    }
  }
  __syncthreads();
  out[base + 2 * t] = tree[2 * t];
  out[base + 2 * t + 1] = tree[2 * t + 1];
}

__device__ int padded(int i) {
  return i + (i >> 5);
}

__global__ void blelloch_padded(const int* in, int* out) {
  __shared__ int tree[2 * kThreads + 2 * kThreads / 32];
  const int t = threadIdx.x, base = blockIdx.x * 2 * kThreads;
  tree[padded(t)] = in[base + t];
  tree[padded(t + kThreads)] = in[base + t + kThreads];
  int offset = 1;
#pragma unroll
  for (int d = kThreads; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) tree[padded(offset * (2 * t + 2) - 1)] += tree[padded(offset * (2 * t + 1) - 1)];
    offset <<= 1;
  }
  if (t == 0) tree[padded(2 * kThreads - 1)] = 0;
#pragma unroll
  for (int d = 1; d < 2 * kThreads; d <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int a = padded(offset * (2 * t + 1) - 1), b = padded(offset * (2 * t + 2) - 1);
      const int kept = tree[a];
      tree[a] = tree[b];
      tree[b] += kept;
    }
  }
  __syncthreads();
  out[base + t] = tree[padded(t)];
  out[base + t + kThreads] = tree[padded(t + kThreads)];
}

__device__ int warp_inclusive(int value) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset) value += before;
  }
  return value;
}

__global__ void warp_scan(const int* in, int* out) {
  out[global_index()] = warp_inclusive(in[global_index()]);
}

// Two levels: warps, then the sums of the warps.
__device__ int block_inclusive(int value) {
  __shared__ int sums[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  value = warp_inclusive(value);
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  if (warp == 0) sums[lane] = warp_inclusive(lane < blockDim.x / 32 ? sums[lane] : 0);
  __syncthreads();
  return value + (warp > 0 ? sums[warp - 1] : 0);
}

__global__ void block_scan(const int* in, int* out, int* sums, int count) {
  const int i = global_index();
  const int result = block_inclusive(i < count ? in[i] : 0);
  if (i < count) out[i] = result;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = result;
}

__global__ void add_block_sums(int* data, const int* sums, int count) {
  const int i = global_index();
  if (blockIdx.x > 0 && i < count) data[i] += sums[blockIdx.x - 1];
}

template <int items>
__global__ void thread_coarsened_scan(const int* in, int* out) {
  int mine[items];
  const int first = global_index() * items;
#pragma unroll
  for (int k = 0; k < items; ++k)
    mine[k] = in[first + k];
#pragma unroll
  for (int k = 1; k < items; ++k)
    mine[k] += mine[k - 1];
  const int before = block_inclusive(mine[items - 1]) - mine[items - 1];
#pragma unroll
  for (int k = 0; k < items; ++k)
    out[first + k] = mine[k] + before;
}

// Every block waits for the sum of the block before it.
__global__ void chained_scan(const int* in, int* out, volatile int* flags, volatile int* prefixes) {
  __shared__ int previous;
  const int result = block_inclusive(in[global_index()]);
  if (threadIdx.x == blockDim.x - 1) {
    int sum = 0;
    if (blockIdx.x > 0) {
      while (flags[blockIdx.x - 1] == 0) {}
      __threadfence();
      sum = prefixes[blockIdx.x - 1];
    }
    prefixes[blockIdx.x] = sum + result;
    __threadfence();
    flags[blockIdx.x] = 1;
    previous = sum;
  }
  __syncthreads();
  out[global_index()] = result + previous;
}

__global__ void compact_with_scan(const int* in, int* out, int* total, int threshold) {
  __shared__ int base;
  const int value = in[global_index()];
  const int keep = value > threshold;
  const int rank = block_inclusive(keep);
  if (threadIdx.x == blockDim.x - 1) base = atomicAdd(total, rank);
  __syncthreads();
  if (keep) out[base + rank - 1] = value;
}

// One atomic per warp: the leader reserves room for all lanes that keep their value.
__global__ void compact_with_ballot(const int* in, int* out, int* total, int count) {
  const int i = global_index(), lane = threadIdx.x & 31;
  const bool keep = i < count && (in[i] & 3) == 0;
  const unsigned kept = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0 && kept != 0) base = atomicAdd(total, __popc(kept));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
}

__global__ void segmented_scan_warp(const int* in, const unsigned char* heads, int* out) {
  const int i = global_index(), lane = threadIdx.x & 31;
  int value = in[i];
  bool head = heads[i] != 0;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, value, offset);
    const bool head_before = __shfl_up_sync(0xffffffffu, static_cast<int>(head), offset) != 0;
    if (lane >= offset && !head) {
      value += before;
      head = head_before;
    }
  }
  out[i] = value;
}

__global__ void mark_run_starts(const int* in, int* marks, int count) {
  const int i = global_index();
  if (i >= count) return;
  marks[i] = i == 0 || in[i] != in[i - 1] ? 1 : 0;
}

int main() {
  int* in = random_integers(kCount, 100);
  int* out = device_array<int>(kCount);
  int* sums = device_array<int>(1024);
  const int blocks = kCount / kThreads;
  hillis_steele<<<blocks, kThreads, 2 * kThreads * sizeof(int)>>>(in, out);
  blelloch<<<32, 128, 256 * sizeof(float)>>>(random_reals(kCount), reinterpret_cast<float*>(out),
                                             reinterpret_cast<float*>(sums), 256);
  blelloch_padded<<<32, kThreads>>>(in, out);
  warp_scan<<<blocks, kThreads>>>(in, out);
  block_scan<<<blocks, kThreads>>>(in, out, sums, kCount - 100);
  add_block_sums<<<blocks, kThreads>>>(out, sums, kCount - 100);
  thread_coarsened_scan<4><<<blocks / 4, kThreads>>>(in, out);
  thread_coarsened_scan<7><<<16, 128>>>(in, out);
  chained_scan<<<16, kThreads>>>(in, out, device_array<int>(16), device_array<int>(16));
  compact_with_scan<<<blocks, kThreads>>>(in, out, sums + 600, 50);
  compact_with_ballot<<<blocks, kThreads>>>(in, out, sums + 601, kCount - 40);
  segmented_scan_warp<<<blocks, kThreads>>>(in, device_values<unsigned char>(kCount, [](size_t i) {
    return number_at(i, 9) % 5 == 0;
  }), out);
  mark_run_starts<<<blocks, kThreads>>>(in, out, kCount - 1);
  finish();
}
