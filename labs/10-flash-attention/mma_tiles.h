// Lab 10, rung 4: the tiles of a block of four warps, the product with the keys, the mask and the
// store of the result. There is nothing to edit.
#pragma once

#include "fragments.h"

constexpr int kRows = 128, kKeys = 64, kThreads = 128;  // a warp has 32 rows

template <int kD>
struct Shared {
  __nv_bfloat16 q[kRows * kD];                 // [kRows][kD], swizzled (place() of fragments.h)
  __nv_bfloat16 k[kKeys * kD], v[kKeys * kD];  // [kKeys][kD]
};

// s = q k^T of this warp: [16 rows][8 keys][of this lane].
template <int kD>
__device__ void multiply_by_keys(float (&s)[2][kKeys / 8][4], const Shared<kD>& shared) {
  const int lane = threadIdx.x % 32, row0 = threadIdx.x / 32 * 32;
#pragma unroll
  for (int p = 0; p < kD / 8; p += 2) {
    uint32_t a[2][4], b[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      ldmatrix_x4(a[i], shared.q + place<kD>(row0 + 16 * i + lane % 16, p + lane / 16));
#pragma unroll
    for (int j = 0; j < kKeys / 8; j += 2) {
      const int key = 8 * j + lane / 16 * 8 + lane % 8;
      ldmatrix_x4(b, shared.k + place<kD>(key, p + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        mma(s[i][j], a[i], b[0], b[1]);
        mma(s[i][j + 1], a[i], b[2], b[3]);
      }
    }
  }
}

// The four lanes of a row: the result is in all of them.
inline __device__ float max_of_row(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

// Scores become minus infinity where the row does not see the key. The lane's rows are first_row +
// 16 i + 8 half; key0: the tile's first key.
inline __device__ void hide_keys(float (&s)[2][kKeys / 8][4], int first_row, int key0, int queries,
                                 int keys, int mask) {
  const int column = threadIdx.x % 4 * 2;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int visible =
        visible_keys(first_row + r / 2 * 16 + r % 2 * 8, queries, keys, mask) - key0;
#pragma unroll
    for (int e = 0; e < kKeys / 4; ++e)
      if (e / 2 * 8 + column + e % 2 >= visible) s[r / 2][e / 2][r % 2 * 2 + e % 2] = -INFINITY;
  }
}

// out = o / l for this lane's rows; l: this lane's part of the sums, [i][half].
template <int kD>
__device__ void store_output(__nv_bfloat16* out, const float (&o)[2][kD / 8][4],
                             const float (&l)[2][2], int first_row, int queries) {
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    float sum = l[r / 2][r % 2];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    const float share = sum > 0 ? 1 / sum : 0;
    const int row = first_row + r / 2 * 16 + r % 2 * 8;
    if (row >= queries) continue;
    auto* to = reinterpret_cast<uint32_t*>(out + static_cast<int64_t>(row) * kD) + threadIdx.x % 4;
#pragma unroll
    for (int c = 0; c < kD / 8; ++c)
      to[4 * c] = pack(o[r / 2][c][r % 2 * 2] * share, o[r / 2][c][r % 2 * 2 + 1] * share);
  }
}
