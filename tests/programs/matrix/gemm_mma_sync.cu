// A half-precision product by mma.sync: tiles by cp.async, fragments by ldmatrix (B transposed on the way),
// results rounded to half and written by stmatrix through shared memory. Each warp has 32 x 32 of a block's
// 64 x 64.
#include <cuda_fp16.h>

#include <vector>

#include "check.h"

constexpr int kTile = 64, kDepth = 32, kPad = 8;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

template <int kRows, int kStride>
__device__ void copy_in(half (&tile)[kRows][kStride], const half* from, int stride) {
  constexpr int kColumns = kStride - kPad;
  for (int i = threadIdx.x; i < kRows * kColumns / 8; i += blockDim.x) {
    const int row = i / (kColumns / 8), column = i % (kColumns / 8) * 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile[row][column])),
                 "l"(from + row * stride + column));
  }
}

// C (m x n) = A (m x k) B (k x n), all row-major.
__global__ void gemm(const half* a, const half* b, half* c, int n, int k) {
  __shared__ __align__(16) half tile_a[kTile][kDepth + kPad], tile_b[kDepth][kTile + kPad],
      tile_c[kTile][kTile + kPad];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
  float sums[2][4][4] = {};
  for (int at = 0; at < k; at += kDepth) {
    copy_in(tile_a, a + blockIdx.y * kTile * k + at, k);
    copy_in(tile_b, b + at * n + blockIdx.x * kTile, n);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;");
    __syncthreads();
    for (int step = 0; step < kDepth; step += 16) {
      unsigned from_a[2][4], from_b[2][4];
      for (int i = 0; i < 2; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(from_a[i][0]), "=r"(from_a[i][1]), "=r"(from_a[i][2]), "=r"(from_a[i][3])
                     : "r"(shared_address(&tile_a[row + i * 16 + lane % 16][step + lane / 16 * 8])));
      for (int j = 0; j < 2; ++j)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(from_b[j][0]), "=r"(from_b[j][1]), "=r"(from_b[j][2]), "=r"(from_b[j][3])
                     : "r"(shared_address(&tile_b[step + lane % 16][column + j * 16 + lane / 16 * 8])));
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          float(&d)[4] = sums[i][j];
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
              "{%0,%1,%2,%3};"
              : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
              : "r"(from_a[i][0]), "r"(from_a[i][1]), "r"(from_a[i][2]), "r"(from_a[i][3]),
                "r"(from_b[j / 2][j % 2 * 2]), "r"(from_b[j / 2][j % 2 * 2 + 1]));
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; j += 2) {
      unsigned packed[4];
      for (int q = 0; q < 4; ++q) {
        const half2 pair =
            __floats2half2_rn(sums[i][j + q / 2][q % 2 * 2], sums[i][j + q / 2][q % 2 * 2 + 1]);
        packed[q] = *reinterpret_cast<const unsigned*>(&pair);
      }
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                       shared_address(&tile_c[row + i * 16 + lane % 16][column + j * 8 + lane / 16 * 8])),
                   "r"(packed[0]), "r"(packed[1]), "r"(packed[2]), "r"(packed[3])
                   : "memory");
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTile * kTile / 8; i += blockDim.x)
    *reinterpret_cast<uint4*>(c + (blockIdx.y * kTile + i / 8) * n + blockIdx.x * kTile + i % 8 * 8) =
        *reinterpret_cast<const uint4*>(&tile_c[i / 8][i % 8 * 8]);
}

int main() {
  constexpr int m = 128, n = 192, k = 96;
  std::vector<half> a(m * k), b(k * n), c(m * n);
  const auto pattern = [](int i, int seed) { return (i * 29 + i / 13 * 5 + seed) % 7 - 3; };
  for (int i = 0; i < m * k; ++i)
    a[i] = __float2half(static_cast<float>(pattern(i, 1)));
  for (int i = 0; i < k * n; ++i)
    b[i] = __float2half(static_cast<float>(pattern(i, 4)));
  auto *da = device_array<half>(a.size()), *db = device_array<half>(b.size()),
       *dc = device_array<half>(c.size());
  to_device(da, a.data(), a.size());
  to_device(db, b.data(), b.size());
  gemm<<<dim3(n / kTile, m / kTile), 128>>>(da, db, dc, n, k);
  finish("gemm");
  to_host(c.data(), dc, c.size());
  int wrong = 0;
  double total = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int q = 0; q < k; ++q)
        sum += pattern(i * k + q, 1) * pattern(q * n + j, 4);
      const float got = __half2float(c[i * n + j]);
      wrong += got != static_cast<float>(sum);
      total += got * (1 + (i * n + j) % 11);
    }
  }
  std::printf("%d of %d wrong, weighted sum %.0f\n", wrong, m * n, total);
  return 0;
}
