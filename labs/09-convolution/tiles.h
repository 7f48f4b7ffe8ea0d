// Lab 09, rungs 4 and 5: a tile of a matrix product on tensor cores, as in rung 3 of lab 06, with
// warps of 64 x 64. Where the rows of the left factor come from is the caller's business; there is
// nothing to edit here.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

constexpr int kTile = 128, kTileK = 64, kStages = 3;
constexpr int kThreads = 128;  // 2 x 2 warps of 64 x 64
constexpr int kSharedBytes = kStages * 2 * kTile * kTileK * 2;

// A tile is [kTile][kTileK], in pieces of 8 elements, 16 bytes. A thread copies piece own_piece()
// of the rows own_row(0), own_row(1), ...: eight neighbouring threads copy 128 contiguous bytes.
constexpr int kRowStep = kThreads / 8, kRowsPerThread = kTile / kRowStep;  // 16, 8
__device__ inline int own_piece() {
  return threadIdx.x % 8;
}
__device__ inline int own_row(int i) {
  return threadIdx.x / 8 + i * kRowStep;
}

// The offset, in elements, of a piece of a tile: swizzled, so that the same piece of eight rows
// covers all 32 banks.
__device__ inline int place(int row, int piece) {
  return row * kTileK + (piece ^ row % 8) * 8;
}

// Starts the copy of 8 elements, or of 8 zeros if not `inside`; `from` is then not read.
__device__ inline void start_copy(__nv_bfloat16* to, const __nv_bfloat16* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}

// Starts the copies of this thread's pieces of a matrix [rows][terms]: rows row0 and on, columns
// col0 .. col0 + 63 of it, zeros outside.
__device__ inline void start_rows(__nv_bfloat16* tile, const __nv_bfloat16* matrix, int rows,
                                  int terms, int row0, int col0) {
  const int column = col0 + own_piece() * 8;
#pragma unroll
  for (int i = 0; i < kRowsPerThread; ++i) {
    const int row = row0 + own_row(i);
    const bool inside = row < rows && column < terms;
    start_copy(tile + place(own_row(i), own_piece()),
               inside ? matrix + static_cast<int64_t>(row) * terms + column : matrix, inside);
  }
}

__device__ inline void ldmatrix_x4(uint32_t (&four)[4], const __nv_bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

__device__ inline void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The MMAs of one k-step for the 64 x 64 outputs of this warp.
__device__ inline void mma_tiles(float (&acc)[4][8][4], const __nv_bfloat16* pixels,
                                 const __nv_bfloat16* filters) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int p = 0; p < kTileK / 8; p += 2) {
    uint32_t a[4][4], b[4][4];  // b: 2 x 8 filters, {terms 0-7, 8-15} of each
#pragma unroll
    for (int i = 0; i < 4; ++i)
      ldmatrix_x4(a[i], pixels + place(warp / 2 * 64 + 16 * i + lane % 16, p + lane / 16));
#pragma unroll
    for (int j = 0; j < 4; ++j)
      ldmatrix_x4(b[j], filters + place(warp % 2 * 64 + 16 * j + lane / 16 * 8 + lane % 8,
                                        p + lane / 8 % 2));
#pragma unroll
    for (int i = 0; i < 32; ++i)
      mma(acc[i / 8][i % 8], a[i / 8], b[i % 8 / 2][i % 2 * 2], b[i % 8 / 2][i % 2 * 2 + 1]);
  }
}

// Stores this warp's outputs as bf16: y [pixels][k], from row0, col0 on; k is even.
__device__ inline void store_accumulators(const float (&acc)[4][8][4], __nv_bfloat16* y, int row0,
                                          int col0, int pixels, int k) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int mma_row = i / 16, mma_col = i / 2 % 8, half = i % 2;
    const int row = row0 + warp / 2 * 64 + mma_row * 16 + half * 8 + lane / 4;
    const int col = col0 + warp % 2 * 64 + mma_col * 8 + lane % 4 * 2;
    if (row < pixels && col < k)
      *reinterpret_cast<__nv_bfloat162*>(y + static_cast<int64_t>(row) * k + col) =
          __floats2bfloat162_rn(acc[mma_row][mma_col][half * 2],
                                acc[mma_row][mma_col][half * 2 + 1]);
  }
}

// This block's 128 x 128 of y = left * filter^T. start_left(tile, step) starts this thread's copies
// of the left factor's columns 64 * step and on, for the rows of the block.
template <typename StartLeft>
__device__ void multiply_tile(const StartLeft& start_left, const __nv_bfloat16* filter,
                              __nv_bfloat16* y, int pixels, int k, int terms) {
  extern __shared__ __align__(1024) __nv_bfloat16 tiles[];  // [kStages][2][kTile][kTileK]
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const int steps = (terms + kTileK - 1) / kTileK;
  const auto tile = [](int step, int which) {
    return tiles + (step % kStages * 2 + which) * kTile * kTileK;
  };
  const auto start_step = [&](int step) {
    if (step < steps) {
      start_left(tile(step, 0), step);
      start_rows(tile(step, 1), filter, k, terms, col0, step * kTileK);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float acc[4][8][4] = {};  // [16 rows][8 columns][of this lane]
  for (int step = 0; step < kStages - 1; ++step)
    start_step(step);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();  // this step's tiles are there; nobody reads those of the step before
    start_step(step + kStages - 1);
    mma_tiles(acc, tile(step, 0), tile(step, 1));
  }
  store_accumulators(acc, y, row0, col0, pixels, k);
}
