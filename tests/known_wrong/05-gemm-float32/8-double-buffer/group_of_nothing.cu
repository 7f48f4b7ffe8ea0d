// expect: SLOW
// Weak: a group of nothing is committed before the products, and the copies begin after them.
#include "copies.h"
#include "gemm_float32.h"

namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 8;  // of C, and the k-step
constexpr int kRows = 8, kCols = 8;                    // elements of C per thread
constexpr int kThreadsN = kTileN / kCols;              // 16 threads along a row of the tile
constexpr int kThreads = kTileM / kRows * kThreadsN;   // 256 per block

struct Tiles {
  float a[kTileK][kTileM + 4];  // [p][row], and 4 floats of padding
  float b[kTileK][kTileN];      // [p][col]
};

// Starts the copies of columns k0 .. of A and rows k0 .. of B.
template <bool kAligned>
__device__ void begin_copies(Tiles& to, const float* a, const float* b, int m, int n, int k,
                             int row0, int col0, int k0) {
  for (int i = threadIdx.x; i < kTileM * kTileK; i += kThreads) {
    const int row = i / kTileK, p = i % kTileK;
    copy_float_async(&to.a[p][row], a, m, k, row0 + row, k0 + p);
  }
  for (int i = threadIdx.x; i < kTileK * kTileN / 4; i += kThreads) {
    const int p = i / (kTileN / 4), col = i % (kTileN / 4) * 4;
    copy_float4_async<kAligned>(&to.b[p][col], b, k, n, k0 + p, col0 + col);
  }
  __pipeline_commit();
}

__device__ void multiply(float (&acc)[kRows][kCols], const Tiles& tiles, int x, int y) {
#pragma unroll
  for (int p = 0; p < kTileK; ++p) {
    float from_a[kRows], from_b[kCols];
    for (int i = 0; i < kRows; i += 4)
      *reinterpret_cast<float4*>(from_a + i) = *reinterpret_cast<const float4*>(&tiles.a[p][y + i]);
    for (int j = 0; j < kCols; j += 4)
      *reinterpret_cast<float4*>(from_b + j) =
          *reinterpret_cast<const float4*>(&tiles.b[p][x + j * kThreadsN]);
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kCols; ++j)
        acc[i][j] += from_a[i] * from_b[j];
  }
}

template <bool kAligned>  // n is a multiple of 4
__global__ void __launch_bounds__(kThreads) multiply_double_buffered(const float* a,  // [m][k]
                                                                     const float* b,  // [k][n]
                                                                     float* c,        // [m][n]
                                                                     int m, int n, int k) {
  __shared__ __align__(16) Tiles tiles[2];
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  const int x = threadIdx.x % kThreadsN * 4, y = threadIdx.x / kThreadsN * kRows;
  float acc[kRows][kCols] = {};
  begin_copies<kAligned>(tiles[0], a, b, m, n, k, row0, col0, 0);
  int now = 0;
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    __pipeline_wait_prior(0);
    __syncthreads();
    __pipeline_commit();
    multiply(acc, tiles[now], x, y);
    if (k0 + kTileK < k)
      begin_copies<kAligned>(tiles[now ^ 1], a, b, m, n, k, row0, col0, k0 + kTileK);
    now ^= 1;
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; j += 4)
      store_float4<kAligned>(c, m, n, row0 + y + i, col0 + x + j * kThreadsN,
                             make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]));
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  const auto kernel = n % 4 == 0 ? multiply_double_buffered<true> : multiply_double_buffered<false>;
  kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
