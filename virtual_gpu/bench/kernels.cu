// The kernels that `ridge bench virtual-gpu` times, one launch per run: ridge-bench-kernels NAME.
// Each checks some of its results, so that a fast wrong answer does not count.
#include <cuda_pipeline.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "virtual_gpu/bench/instruction_kernels.h"
#include "virtual_gpu/bench/matrix_kernels.h"
#include "virtual_gpu/bench/start_up_kernels.h"

#define CHECK(call)                                                                      \
  do {                                                                                   \
    cudaError_t status = (call);                                                         \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));               \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

__global__ void sgemm_naive(const float* a, const float* b, float* c, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void sgemm_tiled(const float* a, const float* b, float* c, int n) {
  constexpr int kTile = 32;
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int column = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// The same with cp.async of kBytes per thread, to compare with sgemm_tiled.
template <int kBytes>
__global__ void sgemm_tiled_async(const float* a, const float* b, float* c, int n) {
  constexpr int kTile = 32, kValues = kBytes / 4;
  __shared__ alignas(16) float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int column = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  int first = (threadIdx.y * kTile + threadIdx.x) * kValues, y = first / kTile, x = first % kTile;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    if (y < kTile) {
      __pipeline_memcpy_async(&tile_a[y][x], &a[(blockIdx.y * kTile + y) * n + k + x], kBytes);
      __pipeline_memcpy_async(&tile_b[y][x], &b[(k + y) * n + blockIdx.x * kTile + x], kBytes);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// 8 x 8 results per thread: 128 x 128 per block of 256 threads, eight k-steps at a time.
__global__ void __launch_bounds__(256) sgemm_blocked(const float* a, const float* b, float* c, int n) {
  constexpr int kTile = 128, kDepth = 8, kOwn = 8;
  __shared__ float tile_a[kDepth][kTile], tile_b[kDepth][kTile];
  int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
  int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  float sum[kOwn][kOwn] = {};
  for (int k = 0; k < n; k += kDepth) {
    float4 part_a = *reinterpret_cast<const float4*>(&a[(first_row + thread / 2) * n + k + thread % 2 * 4]);
    float4 part_b = *reinterpret_cast<const float4*>(&b[(k + thread / 32) * n + first_column + thread % 32 * 4]);
    tile_a[thread % 2 * 4 + 0][thread / 2] = part_a.x;
    tile_a[thread % 2 * 4 + 1][thread / 2] = part_a.y;
    tile_a[thread % 2 * 4 + 2][thread / 2] = part_a.z;
    tile_a[thread % 2 * 4 + 3][thread / 2] = part_a.w;
    *reinterpret_cast<float4*>(&tile_b[thread / 32][thread % 32 * 4]) = part_b;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      float own_a[kOwn], own_b[kOwn];
#pragma unroll
      for (int m = 0; m < kOwn; ++m) own_a[m] = tile_a[i][ty * kOwn + m];
#pragma unroll
      for (int m = 0; m < kOwn; ++m) own_b[m] = tile_b[i][tx * kOwn + m];
#pragma unroll
      for (int y = 0; y < kOwn; ++y)
#pragma unroll
        for (int x = 0; x < kOwn; ++x) sum[y][x] += own_a[y] * own_b[x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < kOwn; ++y)
#pragma unroll
    for (int x = 0; x < kOwn; ++x)
      c[(first_row + ty * kOwn + y) * n + first_column + tx * kOwn + x] = sum[y][x];
}

// Every lane reads a different, scattered address.
__device__ unsigned scattered(unsigned i, unsigned n) {
  return i * 2654435761u % n;
}
__global__ void gather(const float* in, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[scattered(i, n)];
}

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void transpose_tiled_padded(const float* in, float* out, int n) {
  constexpr int kTile = 32;
  __shared__ float tile[kTile][kTile + 1];
  int column = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * n + column];
  __syncthreads();
  column = blockIdx.y * kTile + threadIdx.x;
  row = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += 8) out[(row + i) * n + column] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void sum_shuffle(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void nothing() {}

struct Arrays {
  std::vector<float> host_a, host_b;
  float *a = nullptr, *b = nullptr, *c = nullptr;
};

Arrays make_arrays(size_t count_a, size_t count_b, size_t count_c) {
  Arrays arrays;
  auto fill = [](std::vector<float>& values, size_t count, unsigned seed) {
    values.resize(count);
    for (float& value : values) {
      seed = seed * 1664525u + 1013904223u;
      value = static_cast<float>(static_cast<int>(seed >> 20) % 17 - 8) * 0.125f;   // exact in float32 sums
    }
  };
  fill(arrays.host_a, count_a, 1);
  fill(arrays.host_b, count_b, 2);
  CHECK(cudaMalloc(&arrays.a, count_a * sizeof(float)));
  CHECK(cudaMalloc(&arrays.b, (count_b + 1) * sizeof(float)));
  CHECK(cudaMalloc(&arrays.c, count_c * sizeof(float)));
  CHECK(cudaMemcpy(arrays.a, arrays.host_a.data(), count_a * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(arrays.b, arrays.host_b.data(), count_b * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(arrays.c, 0, count_c * sizeof(float)));
  return arrays;
}

float at(const float* device, size_t index) {
  float value = 0;
  CHECK(cudaMemcpy(&value, device + index, sizeof(float), cudaMemcpyDeviceToHost));
  return value;
}

void expect(float got, double expected, const char* where) {
  if (!(std::fabs(got - expected) <= 1e-4 * std::fabs(expected) + 1e-3)) {
    std::fprintf(stderr, "%s: got %g, expected %g\n", where, got, expected);
    std::exit(1);
  }
}

enum class Gemm { naive, tiled, blocked, async_4, async_16 };

void run_sgemm(int n, Gemm kind) {
  size_t count = static_cast<size_t>(n) * n;
  Arrays arrays = make_arrays(count, count, count);
  if (kind == Gemm::naive) sgemm_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(arrays.a, arrays.b, arrays.c, n);
  if (kind == Gemm::tiled) sgemm_tiled<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(arrays.a, arrays.b, arrays.c, n);
  if (kind == Gemm::blocked) sgemm_blocked<<<dim3(n / 128, n / 128), 256>>>(arrays.a, arrays.b, arrays.c, n);
  const dim3 tiles(n / 32, n / 32), tile(32, 32);
  if (kind == Gemm::async_4) sgemm_tiled_async<4><<<tiles, tile>>>(arrays.a, arrays.b, arrays.c, n);
  if (kind == Gemm::async_16) sgemm_tiled_async<16><<<tiles, tile>>>(arrays.a, arrays.b, arrays.c, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i) {
    int row = (i * 7919) % n, column = (i * 104729) % n;
    double sum = 0;
    for (int k = 0; k < n; ++k)
      sum += static_cast<double>(arrays.host_a[static_cast<size_t>(row) * n + k]) * arrays.host_b[static_cast<size_t>(k) * n + column];
    expect(at(arrays.c, static_cast<size_t>(row) * n + column), sum, "sgemm");
  }
}

void run_gather(unsigned n) {
  Arrays arrays = make_arrays(n, 1, n);
  gather<<<(n + 255) / 256, 256>>>(arrays.a, arrays.c, n);
  CHECK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 16; ++i) {
    unsigned index = static_cast<unsigned>(i * 1048573ull % n);
    expect(at(arrays.c, index), arrays.host_a[index * 2654435761u % n], "gather");
  }
}

void run_vector_add(int n) {
  Arrays arrays = make_arrays(n, n, n);
  vector_add<<<(n + 255) / 256, 256>>>(arrays.a, arrays.b, arrays.c, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i) {
    int index = static_cast<int>((i * 1048573ll) % n);
    expect(at(arrays.c, index), arrays.host_a[index] + arrays.host_b[index], "vector add");
  }
}

void run_transpose(int n) {
  size_t count = static_cast<size_t>(n) * n;
  Arrays arrays = make_arrays(count, 1, count);
  transpose_tiled_padded<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(arrays.a, arrays.c, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i) {
    int row = (i * 7919) % n, column = (i * 104729) % n;
    expect(at(arrays.c, static_cast<size_t>(column) * n + row), arrays.host_a[static_cast<size_t>(row) * n + column], "transpose");
  }
}

void run_sum(int n) {
  Arrays arrays = make_arrays(n, 1, 1);
  sum_shuffle<<<132 * 8, 256>>>(arrays.a, arrays.c, n);
  CHECK(cudaDeviceSynchronize());
  double sum = 0;
  for (float value : arrays.host_a) sum += value;
  expect(at(arrays.c, 0), sum, "sum");
}

void run_start_up() {
  nothing<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (!std::strcmp(name, "sgemm-naive-512")) run_sgemm(512, Gemm::naive);
  else if (!std::strcmp(name, "sgemm-naive-1024")) run_sgemm(1024, Gemm::naive);
  else if (!std::strcmp(name, "sgemm-tiled-1024")) run_sgemm(1024, Gemm::tiled);
  else if (!std::strcmp(name, "sgemm-async4-1024")) run_sgemm(1024, Gemm::async_4);
  else if (!std::strcmp(name, "sgemm-async16-1024")) run_sgemm(1024, Gemm::async_16);
  else if (!std::strcmp(name, "sgemm-blocked-2048")) run_sgemm(2048, Gemm::blocked);
  else if (!std::strcmp(name, "gather-10M")) run_gather(10'000'000);
  else if (!std::strcmp(name, "vector-add-16M")) run_vector_add(16 << 20);
  else if (!std::strcmp(name, "transpose-4096")) run_transpose(4096);
  else if (!std::strcmp(name, "sum-shuffle-16M")) run_sum(16 << 20);
  else if (!std::strcmp(name, "start-up")) run_start_up();
  else if (run_matrix_benchmark(name) || run_instruction_benchmark(name)) return 0;
  else if (run_start_up_benchmark(name)) return 0;
  else return std::fprintf(stderr, "ridge-bench-kernels: no benchmark named '%s'\n", name), 2;
  return 0;
}
