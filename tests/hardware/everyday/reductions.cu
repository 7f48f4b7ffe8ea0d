// Sums, maxima and normalisations of warps, blocks and rows.
#include <cfloat>

#include "everyday.h"

constexpr int kCount = 32768, kThreads = 256;

__global__ void reduce_interleaved(const int* in, int* out) {
  extern __shared__ int line[];
  line[threadIdx.x] = in[global_index()];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) line[threadIdx.x] += line[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = line[0];
}

__global__ void reduce_sequential(const float* in, float* out, unsigned count) {
  extern __shared__ float parts[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  float sum = i < count ? in[i] : 0;
  if (i + blockDim.x < count) sum += in[i + blockDim.x];
  parts[t] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
    if (t < s) parts[t] = sum = sum + parts[t + s];
    __syncthreads();
  }
  if (t < 32) {
    sum += parts[t + 32];
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
  if (t == 0) out[blockIdx.x] = sum;
}

// The block size is a template parameter, so that every step is there or not at compile time.
template <typename T, unsigned block_size, bool power_of_two>
__global__ void reduce_unrolled(const T* in, T* out, unsigned count) {
  __shared__ T parts[block_size < 64 ? 64 : block_size];
  const unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * block_size * 2 + t;
  const unsigned grid = block_size * 2 * gridDim.x;
  T sum = 0;
  while (i < count) {
    sum += in[i];
    if (power_of_two || i + block_size < count) sum += in[i + block_size];
    i += grid;
  }
  parts[t] = sum;
  __syncthreads();
  if (block_size >= 512 && t < 256) parts[t] = sum = sum + parts[t + 256];
  __syncthreads();
  if (block_size >= 256 && t < 128) parts[t] = sum = sum + parts[t + 128];
  __syncthreads();
  if (block_size >= 128 && t < 64) parts[t] = sum = sum + parts[t + 64];
  __syncthreads();
  if (t < 32) {
    if (block_size >= 64) sum += parts[t + 32];
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
  if (t == 0) out[blockIdx.x] = sum;
}

template <typename T>
void reduce_by_size(int threads, const T* in, T* out) {
  switch (threads) {
    case 512: reduce_unrolled<T, 512, true><<<16, 512>>>(in, out, kCount); break;
    case 256: reduce_unrolled<T, 256, false><<<16, 256>>>(in, out, kCount - 77); break;
    case 128: reduce_unrolled<T, 128, true><<<32, 128>>>(in, out, kCount); break;
    case 64: reduce_unrolled<T, 64, false><<<32, 64>>>(in, out, kCount / 2 - 5); break;
    default: reduce_unrolled<T, 32, true><<<32, 32>>>(in, out, kCount / 4); break;
  }
}

template <int width>
__global__ void sum_groups(const float* in, float* out) {
  float sum = in[global_index()];
#pragma unroll
  for (int offset = width / 2; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset, width);
  if (threadIdx.x % width == 0) out[global_index() / width] = sum;
}

__global__ void hardware_reduction(const unsigned* in, unsigned* out) {
  const unsigned value = in[global_index()];
  const unsigned sum = __reduce_add_sync(0xffffffffu, value);
  const unsigned most = __reduce_max_sync(0xffffffffu, value);
  if ((threadIdx.x & 31) == 0) atomicAdd(&out[0], sum);
  if ((threadIdx.x & 31) == 0) atomicMax(&out[1], most);
}

// Rows of up to 32 * elements values; `batch` rows per warp.
template <int log2_elements, bool log_of_it>
__global__ void softmax_warp(float* out, const float* in, int rows, int stride, int columns) {
  constexpr int next = 1 << log2_elements;
  constexpr int lanes = next < 32 ? next : 32;
  constexpr int steps = next / lanes;
  constexpr int batch = next <= 128 ? 2 : 1;
  const int first = (blockDim.y * blockIdx.x + threadIdx.y) * batch;
  int here = rows - first;
  if (here > batch) here = batch;
  const int lane = threadIdx.x;
  in += first * stride + lane;
  out += first * stride + lane;
  float elements[batch][steps];
  for (int i = 0; i < batch; ++i) {
    const int limit = i >= here ? 0 : columns;
    for (int k = 0; k < steps; ++k)
      elements[i][k] = lane + k * lanes < limit ? in[i * columns + k * lanes] : -FLT_MAX;
  }
  float most[batch];
#pragma unroll
  for (int i = 0; i < batch; ++i) {
    most[i] = elements[i][0];
#pragma unroll
    for (int k = 1; k < steps; ++k)
      most[i] = most[i] > elements[i][k] ? most[i] : elements[i][k];
  }
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2)
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const float other = __shfl_xor_sync(0xffffffffu, most[i], offset, lanes);
      most[i] = most[i] < other ? other : most[i];
    }
  float sum[batch] = {};
#pragma unroll
  for (int i = 0; i < batch; ++i)
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      if (log_of_it) {
        sum[i] += expf(elements[i][k] - most[i]);
      } else {
        elements[i][k] = expf(elements[i][k] - most[i]);
        sum[i] += elements[i][k];
      }
    }
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2)
#pragma unroll
    for (int i = 0; i < batch; ++i)
      sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], offset, lanes);
#pragma unroll
  for (int i = 0; i < batch; ++i) {
    if (i >= here) break;
    if (log_of_it) sum[i] = logf(sum[i]);
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      if (lane + k * lanes >= columns) break;
      out[i * columns + k * lanes] =
          log_of_it ? elements[i][k] - most[i] - sum[i] : elements[i][k] / sum[i];
    }
  }
}

__global__ void arg_max_blocks(const float* in, int* out, int columns) {
  __shared__ float best[kThreads];
  __shared__ int best_at[kThreads];
  const float* row = in + blockIdx.x * columns;
  float most = -FLT_MAX;
  int at = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    if (row[c] > most) {
      most = row[c];
      at = c;
    }
  best[threadIdx.x] = most;
  best_at[threadIdx.x] = at;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s && best[threadIdx.x + s] > best[threadIdx.x]) {
      best[threadIdx.x] = best[threadIdx.x + s];
      best_at[threadIdx.x] = best_at[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = best_at[0];
}

__global__ void dot_product(const double* a, const double* b, double* out, int count) {
  __shared__ double cache[kThreads];
  double sum = 0;
  for (int i = global_index(); i < count; i += blockDim.x * gridDim.x)
    sum += a[i] * b[i];
  cache[threadIdx.x] = sum;
  __syncthreads();
  int half = blockDim.x / 2;
  while (half != 0) {
    if (threadIdx.x < half) cache[threadIdx.x] += cache[threadIdx.x + half];
    __syncthreads();
    half /= 2;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}

// Mean and variance in one pass, combined across the warp.
__global__ void welford_rows(const float* in, float* mean_out, float* variance_out, int columns) {
  const int row = global_index() / 32, lane = threadIdx.x & 31;
  float mean = 0, squares = 0, n = 0;
  for (int c = lane; c < columns; c += 32) {
    const float value = in[row * columns + c];
    n += 1;
    const float delta = value - mean;
    mean += delta / n;
    squares += delta * (value - mean);
  }
  for (int offset = 16; offset > 0; offset >>= 1) {
    const float other_mean = __shfl_down_sync(0xffffffffu, mean, offset);
    const float other_squares = __shfl_down_sync(0xffffffffu, squares, offset);
    const float other_n = __shfl_down_sync(0xffffffffu, n, offset);
    const float delta = other_mean - mean, total = n + other_n;
    if (total > 0) {
      mean += delta * other_n / total;
      squares += other_squares + delta * delta * n * other_n / total;
      n = total;
    }
  }
  if (lane == 0) {
    mean_out[row] = mean;
    variance_out[row] = squares / n;
  }
}

int main() {
  int* integers = random_integers(kCount, 1000);
  float* reals = random_reals(kCount);
  float* out = device_array<float>(kCount);
  int* indices = device_array<int>(1024);
  reduce_interleaved<<<32, kThreads, kThreads * sizeof(int)>>>(integers, indices);
  reduce_sequential<<<64, kThreads, kThreads * sizeof(float)>>>(reals, out, kCount - 300);
  for (const int threads : {512, 256, 128, 64, 32})
    reduce_by_size(threads, reals, out);
  reduce_by_size(256, integers, indices);
  reduce_by_size(128, random_reals<double>(kCount), device_array<double>(64));
  sum_groups<2><<<32, kThreads>>>(reals, out);
  sum_groups<4><<<32, kThreads>>>(reals, out);
  sum_groups<8><<<32, kThreads>>>(reals, out);
  sum_groups<16><<<32, kThreads>>>(reals, out);
  sum_groups<32><<<32, kThreads>>>(reals, out);
  hardware_reduction<<<32, kThreads>>>(random_integers<unsigned>(kCount, 999), device_array<unsigned>(2));
  softmax_warp<3, false><<<16, dim3(8, 16)>>>(out, reals, 500, 8, 8);
  softmax_warp<5, false><<<16, dim3(32, 4)>>>(out, reals, 120, 30, 30);
  softmax_warp<7, false><<<16, dim3(32, 4)>>>(out, reals, 128, 100, 100);
  softmax_warp<7, true><<<16, dim3(32, 4)>>>(out, reals, 127, 128, 128);
  softmax_warp<9, false><<<8, dim3(32, 4)>>>(out, reals, 32, 500, 500);
  softmax_warp<10, true><<<8, dim3(32, 4)>>>(out, reals, 30, 1000, 1000);
  arg_max_blocks<<<32, kThreads>>>(reals, indices, 1000);
  dot_product<<<16, kThreads>>>(random_reals<double>(kCount, 2), random_reals<double>(kCount, 3),
                                device_array<double>(64), kCount);
  welford_rows<<<16, 128>>>(reals, out, out + 1000, 200);
  finish();
}
