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

// Starts the copy of rows 0 .. kTileRows - 1 of q, k or v into a tile, by all threads of the block.
// Rows from `rows` on become zeros. A thread's pieces are equally far apart in both places, so it
// computes two addresses, and the distances are constants in the instructions; only the last tile
// of a head compares row numbers.
template <int kTileRows, int kD>
__device__ void start_tile_copy(__nv_bfloat16* tile, const __nv_bfloat16* matrix, int rows) {
  constexpr int kPieces = kD / 8, kStep = kThreads / kPieces;  // kStep: rows at a time
  static_assert(kStep % 8 == 0 && kTileRows % kStep == 0);     // 8: place() permutes alike
  const int row = threadIdx.x / kPieces, piece = threadIdx.x % kPieces;
  const auto to = static_cast<uint32_t>(__cvta_generic_to_shared(tile + place<kD>(row, piece)));
  const __nv_bfloat16* from = matrix + row * kD + piece * 8;
  if (rows >= kTileRows) {
#pragma unroll
    for (int i = 0; i < kTileRows; i += kStep)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * kD * 2),
                   "l"(from + i * kD)
                   : "memory");
  } else {
#pragma unroll
    for (int i = 0; i < kTileRows; i += kStep) {
      const bool inside = row + i < rows;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + i * kD * 2),
                   "l"(inside ? from + i * kD : matrix), "r"(inside ? 16 : 0)
                   : "memory");
    }
  }
}

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
