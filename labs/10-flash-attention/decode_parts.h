// Lab 10, rungs 9 and 10: the parts of a result, of warps in shared memory and of blocks in global
// memory. There is nothing to edit.
#pragma once

#include "decode_tiles.h"

// A part of the result of one query, before it is divided: 4 columns of the accumulators, the
// maximum of the logits (times log2(e)) and the sum of the weights that belong to them.
struct Part {
  float m = -INFINITY, l = 0;
  float4 o = make_float4(0, 0, 0, 0);
};

// All warps' parts of a block: [warp][row][column]; 8 columns of padding put the rows that a warp
// stores at once into different banks.
struct WarpParts {
  float o[kWarps][kGroup][kD + 8];
  float m[kWarps][kGroup], l[kWarps][kGroup];
};

// The parts of blocks: [part][row][4 columns], and [part][row] with the maximum and the sum.
__device__ float4 parts[kMostParts * kGroup * kD / 4];
__device__ float2 part_sums[kMostParts * kGroup];
__device__ unsigned blocks_done[kMostPairs];  // by pair; 0 between two launches

// The lanes' accumulators become their warp's parts in shared memory.
inline __device__ void store_part_of_warp(WarpParts& to, const Accumulators& own) {
  const int warp = threadIdx.x / 32, row = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  float sum = own.l + __shfl_xor_sync(0xffffffffu, own.l, 1);
  sum += __shfl_xor_sync(0xffffffffu, sum, 2);
  if (t == 0) to.m[warp][row] = own.m, to.l[warp][row] = sum;
#pragma unroll
  for (int c = 0; c < kD / 8; ++c)
    *reinterpret_cast<float2*>(&to.o[warp][row][8 * c + 2 * t]) =
        make_float2(own.o[c][0], own.o[c][1]);
}

// Thread t has 4 columns of row t / 32 of the group: 4 (t % 32) and on.
inline __device__ Part part_of_warp(const WarpParts& from, int warp) {
  const int row = threadIdx.x / 32, column = threadIdx.x % 32 * 4;
  return {from.m[warp][row], from.l[warp][row],
          *reinterpret_cast<const float4*>(&from.o[warp][row][column])};
}
// A part in global memory; loads and stores go to L2, which all SMs share.
inline __device__ Part load_part(int part) {
  const int row = part * kGroup + threadIdx.x / 32;
  const float2 sums = __ldcg(part_sums + row);
  return {sums.x, sums.y, __ldcg(parts + row * (kD / 4) + threadIdx.x % 32)};
}
inline __device__ void store_part(int part, const Part& own) {
  const int row = part * kGroup + threadIdx.x / 32, column = threadIdx.x % 32;
  __stcg(parts + row * (kD / 4) + column, own.o);
  if (column == 0) __stcg(part_sums + row, make_float2(own.m, own.l));
}
// out: [group][kD], of this pair.
inline __device__ void store_result(__nv_bfloat16* out, const Part& own, int group) {
  const int row = threadIdx.x / 32, column = threadIdx.x % 32 * 4;
  const float share = own.l > 0 ? 1 / own.l : 0;
  if (row < group)
    *reinterpret_cast<uint2*>(out + row * kD + column) =
        make_uint2(pack(own.o.x * share, own.o.y * share), pack(own.o.z * share, own.o.w * share));
}
