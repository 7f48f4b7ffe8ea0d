// Lab 10, rungs 9 and 10: the tiles of a warp that decodes, and its two products. There is nothing
// to edit.
//
// The `group` query heads of a key-value head are rows 0 to 7 of the MMA's operand A; rows 8 to 15
// are zeros. Every warp has keys of its own and a pipeline of its own: no warp waits for another.
#pragma once

#include "fragments.h"

constexpr int kD = 128, kGroup = 8;  // columns; query heads per key-value head, at most
constexpr int kWarps = 8, kThreads = 32 * kWarps;
constexpr int kKeys = 16, kStages = 3;               // keys per warp and stage
constexpr int kKeysPerStep = kKeys * kWarps;         // of a block
constexpr int kMostParts = 2048, kMostPairs = 4096;  // a pair: a sequence and a key-value head

struct Stage {
  __nv_bfloat16 k[kKeys * kD], v[kKeys * kD];  // [kKeys][kD], swizzled (place() of fragments.h)
};

// What a lane has of its warp's part: row lane / 4, columns 8 c + 2 (lane % 4) and the next in
// o[c][0] and o[c][1]. l: the weights of this lane alone.
struct Accumulators {
  float o[kD / 8][4] = {};
  float m = -INFINITY, l = 0;
};

// Operand A of all k-steps: [k-step][columns 0 - 7 or 8 - 15], of row lane / 4.
inline __device__ void load_queries(uint32_t (&q)[kD / 16][2], const __nv_bfloat16* rows,
                                    int group) {
  const int row = threadIdx.x % 32 / 4;
  const auto* from = reinterpret_cast<const uint32_t*>(rows + row * kD) + threadIdx.x % 4;
#pragma unroll
  for (int p = 0; p < kD / 16; ++p)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      q[p][half] = row < group ? from[8 * p + 4 * half] : 0;
}

// 16 bytes to shared memory without waiting, or 16 zeros.
inline __device__ void copy_async(__nv_bfloat16* to, const __nv_bfloat16* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}

// This warp starts the copy of kKeys keys and values of a head; rows from `rows` on become zeros.
inline __device__ void start_copy_of_warp(Stage& stage, const __nv_bfloat16* k,
                                          const __nv_bfloat16* v, int64_t first_row, int rows) {
  const int lane = threadIdx.x % 32, piece = lane % 16;
#pragma unroll
  for (int r = 0; r < kKeys; r += 2) {
    const int row = r + lane / 16;
    const bool inside = row < rows;
    const int64_t from = inside ? (first_row + row) * kD + piece * 8 : 0;
    copy_async(stage.k + place<kD>(row, piece), k + from, inside);
    copy_async(stage.v + place<kD>(row, piece), v + from, inside);
  }
}

// The scores of the group and the stage's keys; those from key `rows` on are minus infinity.
inline __device__ void multiply_by_keys(float (&s)[2][4], const uint32_t (&q)[kD / 16][2],
                                        const Stage& stage, int rows) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int p = 0; p < kD / 16; ++p) {
    uint32_t b[4];
    const uint32_t a[4] = {q[p][0], 0, q[p][1], 0};
    ldmatrix_x4(b, stage.k + place<kD>(lane / 16 * 8 + lane % 8, 2 * p + lane / 8 % 2));
    mma(s[0], a, b[0], b[1]);
    mma(s[1], a, b[2], b[3]);
  }
  if (rows >= kKeys) return;
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (e / 2 * 8 + lane % 4 * 2 + e % 2 >= rows) s[e / 2][e % 2] = -INFINITY;
}

// The online update of rung 4 for one row, and the product with the values.
inline __device__ void add_values(Accumulators& own, float (&s)[2][4], const Stage& stage) {
  const int lane = threadIdx.x % 32;
  const float scale = logit_scale(kD) * kLog2E;
  float larger = fmaxf(fmaxf(s[0][0], s[0][1]), fmaxf(s[1][0], s[1][1]));
  larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 1));
  larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 2));
  larger = fmaxf(larger * scale, own.m);
  const float base = larger == -INFINITY ? 0 : larger, factor = fast_exp2(own.m - base);
  own.m = larger;
  own.l *= factor;
#pragma unroll
  for (int c = 0; c < kD / 8; ++c)
    own.o[c][0] *= factor, own.o[c][1] *= factor;
#pragma unroll
  for (int e = 0; e < 4; ++e)
    own.l += s[e / 2][e % 2] = fast_exp2(fmaf(s[e / 2][e % 2], scale, -base));
  const uint32_t a[4] = {pack(s[0][0], s[0][1]), 0, pack(s[1][0], s[1][1]), 0};
#pragma unroll
  for (int c = 0; c < kD / 8; c += 2) {
    uint32_t b[4];
    ldmatrix_x4_transposed(b, stage.v + place<kD>(lane % 16, c + lane / 16));
    mma(own.o[c], a, b[0], b[1]);
    mma(own.o[c + 1], a, b[2], b[3]);
  }
}
