// Dense matrices and vectors in several types.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "everyday.h"

constexpr int kSize = 128, kTile = 16;

__global__ void transpose_rows(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

template <int pad>
__global__ void transpose_tile(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][32 + pad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int size) {
  __shared__ unsigned char tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * size + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * size + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <typename T>
__global__ void product_tiled(const T* a, const T* b, T* c, int n) {
  __shared__ T as[kTile][kTile], bs[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  T sum = 0;
  for (int m = 0; m < (n + kTile - 1) / kTile; ++m) {
    as[threadIdx.y][threadIdx.x] = row < n && m * kTile + threadIdx.x < n ? a[row * n + m * kTile + threadIdx.x] : T(0);
    bs[threadIdx.y][threadIdx.x] = column < n && m * kTile + threadIdx.y < n ? b[(m * kTile + threadIdx.y) * n + column] : T(0);
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// Four rows of int8 dot products per thread.
__global__ void product_dp4a(const int* a, const int* b, int* c, int n, int words) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * 4;
  if (column >= n) return;
  int sums[4] = {};
  for (int k = 0; k < words; ++k) {
    const int right = b[column * words + k];
#pragma unroll
    for (int r = 0; r < 4; ++r)
      sums[r] = __dp4a(a[(row + r) * words + k], right, sums[r]);
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
    c[(row + r) * n + column] = sums[r];
}

__global__ void matrix_vector_warp(const float4* matrix, const float4* vector, float* out, int columns4) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < columns4; c += 32) {
    const float4 m = matrix[row * columns4 + c], v = vector[c];
    sum += m.x * v.x + m.y * v.y + m.z * v.z + m.w * v.w;
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) out[row] = sum;
}

__global__ void matrix_vector_columns(const double* matrix, const double* vector, double* out, int rows, int columns) {
  const int row = global_index();
  if (row >= rows) return;
  double sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += matrix[c * rows + row] * vector[c];
  out[row] = sum;
}

__global__ void axpy_half2(int count, __half2 a, const __half2* x, __half2* y) {
  for (int i = global_index(); i < count; i += blockDim.x * gridDim.x)
    y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void scale_bfloat16(const __nv_bfloat16* in, __nv_bfloat16* out, float factor, int count) {
  const int i = global_index();
  if (i < count) out[i] = __float2bfloat16(__bfloat162float(in[i]) * factor);
}

__global__ void complex_multiply(const float2* a, const float2* b, float2* out, int count, float scale) {
  const int threads = blockDim.x * gridDim.x;
  for (int i = global_index(); i < count; i += threads) {
    const float2 p = a[i], q = b[i];
    out[i] = {scale * (p.x * q.x - p.y * q.y), scale * (p.x * q.y + p.y * q.x)};
  }
}

// A step of elimination: the multipliers, then the rows below the pivot.
__global__ void elimination_factors(float* m, const float* a, int n, int pivot) {
  const int row = global_index();
  if (row >= n - 1 - pivot) return;
  m[n * (row + pivot + 1) + pivot] = a[n * (row + pivot + 1) + pivot] / a[n * pivot + pivot];
}

__global__ void elimination_rows(const float* m, float* a, float* b, int n, int pivot) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 - pivot || y >= n - pivot) return;
  a[n * (x + 1 + pivot) + y + pivot] -= m[n * (x + 1 + pivot) + pivot] * a[n * pivot + y + pivot];
  if (y == 0) b[x + 1 + pivot] -= m[n * (x + 1 + pivot) + pivot] * b[pivot];
}

__global__ void cholesky_tile(float* matrices) {
  __shared__ float a[16][17];
  const int t = threadIdx.x;
  float* mine = matrices + blockIdx.x * 256;
  for (int r = 0; r < 16; ++r)
    a[r][t] = mine[r * 16 + t] + (r == t ? 40.0f : 0.0f);
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    if (t == k) a[k][k] = sqrtf(a[k][k]);
    __syncthreads();
    if (t > k) a[t][k] /= a[k][k];
    __syncthreads();
    if (t > k)
      for (int j = k + 1; j <= t; ++j)
        a[t][j] -= a[t][k] * a[j][k];
    __syncthreads();
  }
  for (int r = 0; r < 16; ++r)
    mine[r * 16 + t] = t <= r ? a[r][t] : 0;
}

__global__ void triangular_solve(const float* lower, float* x, int n) {
  extern __shared__ float right[];
  const int t = threadIdx.x;
  right[t] = x[blockIdx.x * n + t];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (t == k) right[k] /= lower[k * n + k] + 3.0f;
    __syncthreads();
    if (t > k) right[t] -= lower[t * n + k] * right[k];
    __syncthreads();
  }
  x[blockIdx.x * n + t] = right[t];
}

__global__ void invert_3x3(const float* in, float* out, int count) {
  const int i = global_index();
  if (i >= count) return;
  float m[9];
  for (int k = 0; k < 9; ++k)
    m[k] = in[i * 9 + k];
  const float c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
  const float scale = 1.0f / (m[0] * c0 + m[1] * c1 + m[2] * c2);
  out[i * 9] = c0 * scale;
  out[i * 9 + 1] = (m[2] * m[7] - m[1] * m[8]) * scale;
  out[i * 9 + 2] = (m[1] * m[5] - m[2] * m[4]) * scale;
  out[i * 9 + 3] = c1 * scale;
  out[i * 9 + 4] = (m[0] * m[8] - m[2] * m[6]) * scale;
  out[i * 9 + 5] = (m[2] * m[3] - m[0] * m[5]) * scale;
  out[i * 9 + 6] = c2 * scale;
  out[i * 9 + 7] = (m[1] * m[6] - m[0] * m[7]) * scale;
  out[i * 9 + 8] = (m[0] * m[4] - m[1] * m[3]) * scale;
}

__global__ void correlation(const float* data, const float* mean, float* out, int rows, int columns) {
  const int i = global_index();
  if (i >= columns - 1) return;
  out[i * columns + i] = 1;
  for (int j = i + 1; j < columns; ++j) {
    float sum = 0;
    for (int r = 0; r < rows; ++r)
      sum += (data[r * columns + i] - mean[i]) * (data[r * columns + j] - mean[j]);
    out[i * columns + j] = sum;
    out[j * columns + i] = sum;
  }
}

int main() {
  float* a = random_reals(kSize * kSize);
  float* b = random_reals(kSize * kSize, 2);
  float* c = device_array<float>(kSize * kSize);
  const dim3 tile_block(32, 8), tile_grid(4, 4), square(kTile, kTile);
  transpose_rows<<<dim3(8, 7), square>>>(a, c, 125, 100);
  transpose_tile<0><<<tile_grid, tile_block>>>(a, c, 128, 128);
  transpose_tile<1><<<tile_grid, tile_block>>>(a, c, 120, 100);
  transpose_bytes<<<tile_grid, dim3(32, 32)>>>(random_integers<unsigned char>(kSize * kSize, 256),
                                               reinterpret_cast<unsigned char*>(c), kSize);
  product_tiled<float><<<dim3(7, 7), square>>>(a, b, c, 100);
  product_tiled<double><<<dim3(4, 4), square>>>(random_reals<double>(64 * 64), random_reals<double>(64 * 64, 2),
                                                reinterpret_cast<double*>(c), 64);
  int* bytes = random_integers(128 * 32, 1u << 31);
  product_dp4a<<<dim3(2, 16), 64>>>(bytes, bytes, reinterpret_cast<int*>(c), 120, 30);
  matrix_vector_warp<<<16, 128>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b), c, 50);
  matrix_vector_columns<<<2, 64>>>(random_reals<double>(100 * 80), random_reals<double>(80),
                                   reinterpret_cast<double*>(c), 100, 80);
  axpy_half2<<<8, 128>>>(3000, __floats2half2_rn(0.5f, 2.0f), device_array<__half2>(3000), device_array<__half2>(3000));
  scale_bfloat16<<<16, 128>>>(device_array<__nv_bfloat16>(2000), device_array<__nv_bfloat16>(2000), 0.3f, 2000);
  complex_multiply<<<8, 128>>>(reinterpret_cast<float2*>(a), reinterpret_cast<float2*>(b), reinterpret_cast<float2*>(c),
                               3333, 0.1f);
  elimination_factors<<<2, 64>>>(c, a, 100, 3);
  elimination_rows<<<dim3(7, 7), square>>>(c, a, b, 100, 3);
  cholesky_tile<<<16, 16>>>(random_reals(16 * 256));
  triangular_solve<<<8, 96, 96 * sizeof(float)>>>(random_reals(96 * 96), random_reals(8 * 96), 96);
  invert_3x3<<<16, 64>>>(random_reals(9 * 1000), device_array<float>(9 * 1000), 1000);
  correlation<<<2, 32>>>(a, b, c, 40, 60);
  finish();
}
