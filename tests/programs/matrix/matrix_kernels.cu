// Transposes, matrix-vector products and matrix products in the usual steps: naive, tiled, register-blocked,
// and with double-buffered tiles. Small integers in floats: every sum is exact.
#include <vector>

#include "check.h"

__global__ void transpose_padded(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void gemv_warp_a_row(const float* a, const float* x, float* y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int col = lane; col < cols; col += 32)
    sum += a[row * cols + col] * x[col];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

__global__ void gemm_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

template <int kTile>
__global__ void gemm_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int base = 0; base < k; base += kTile) {
    int ak = base + threadIdx.x, bk = base + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ak < k ? a[row * k + ak] : 0;
    bs[threadIdx.y][threadIdx.x] = bk < k && col < n ? b[bk * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

// 32x32 of C a block of 64 threads, 4x4 per thread; the next tile is fetched while this one is multiplied.
__global__ void gemm_blocked(const float* a, const float* b, float* c, int m, int n, int k) {
  constexpr int kTile = 32, kDepth = 8, kEach = 4;
  __shared__ float as[2][kDepth][kTile], bs[2][kDepth][kTile];
  int tx = threadIdx.x % 8, ty = threadIdx.x / 8, row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  float sum[kEach][kEach] = {};
  const auto fetch = [&](int buffer, int base) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += 64) {
      int depth = i / kTile, place = i % kTile;
      as[buffer][depth][place] =
          row0 + place < m && base + depth < k ? a[(row0 + place) * k + base + depth] : 0;
      bs[buffer][depth][place] =
          col0 + place < n && base + depth < k ? b[(base + depth) * n + col0 + place] : 0;
    }
  };
  fetch(0, 0);
  for (int base = 0, buffer = 0; base < k; base += kDepth, buffer ^= 1) {
    __syncthreads();
    if (base + kDepth < k) fetch(buffer ^ 1, base + kDepth);
#pragma unroll
    for (int depth = 0; depth < kDepth; ++depth) {
      float av[kEach], bv[kEach];
      for (int i = 0; i < kEach; ++i) {
        av[i] = as[buffer][depth][ty * kEach + i];
        bv[i] = bs[buffer][depth][tx * kEach + i];
      }
      for (int i = 0; i < kEach; ++i)
        for (int j = 0; j < kEach; ++j)
          sum[i][j] += av[i] * bv[j];
    }
  }
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) {
      int row = row0 + ty * kEach + i, col = col0 + tx * kEach + j;
      if (row < m && col < n) c[row * n + col] = sum[i][j];
    }
}

int main() {
  constexpr int m = 70, n = 101, k = 45;
  std::vector<float> a(m * k), b(k * n), expected(m * n), c(m * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = static_cast<float>(i * 7 % 13 - 6);
  for (int i = 0; i < k * n; ++i)
    b[i] = static_cast<float>(i * 5 % 11 - 5);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        expected[i * n + j] += a[i * k + l] * b[l * n + j];
  float *da = device_array<float>(m * k), *db = device_array<float>(k * n), *dc = device_array<float>(m * n),
        *dt = device_array<float>(m * k);
  to_device(da, a.data(), a.size());
  to_device(db, b.data(), b.size());
  const auto report = [&](const char* name) {
    finish(name);
    to_host(c.data(), dc, c.size());
    printf("%s %d\n", name, c == expected);
    check(cudaMemset(dc, 0xff, c.size() * sizeof(float)), "cudaMemset");
  };
  gemm_naive<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(da, db, dc, m, n, k);
  report("naive");
  gemm_tiled<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, k);
  report("tiled 16");
  gemm_tiled<32><<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 32)>>>(da, db, dc, m, n, k);
  report("tiled 32");
  gemm_blocked<<<dim3((n + 31) / 32, (m + 31) / 32), 64>>>(da, db, dc, m, n, k);
  report("blocked");

  transpose_padded<<<dim3((k + 31) / 32, (m + 31) / 32), dim3(32, 8)>>>(da, dt, m, k);
  finish("transpose");
  std::vector<float> t(m * k), y(m);
  to_host(t.data(), dt, t.size());
  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j)
      wrong += t[j * m + i] != a[i * k + j];
  printf("transpose wrong %d\n", wrong);
  gemv_warp_a_row<<<(m + 3) / 4, 128>>>(da, db, dc, m, k);
  finish("gemv");
  to_host(y.data(), dc, y.size());
  wrong = 0;
  for (int i = 0; i < m; ++i) {
    float sum = 0;
    for (int j = 0; j < k; ++j)
      sum += a[i * k + j] * b[j];
    wrong += y[i] != sum;
  }
  printf("gemv wrong %d, last %g\n", wrong, y[m - 1]);
}
