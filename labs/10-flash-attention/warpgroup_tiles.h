// Lab 10, from rung 5: the copy engine's boxes in arrays of heads, waits for wgmma, turns, and the
// softmax of rung 4 in the layout of wgmma's accumulators. There is nothing to edit.
#pragma once

#include "attention.h"
#include "hopper.cuh"
#include "wgmma_registers.h"

constexpr int kRows = 64;  // queries of a consumer warpgroup

// A stage of a pipeline and the parity of its phase.
template <int kStages>
struct PipelineState {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

// ---- tiles in shared memory: boxes of 64 columns (128 bytes), swizzled, one behind the other ----

// Boxes of an array, whose first dimension is contiguous; strides in bytes from the second one on.
// What lies outside of the array arrives as zeros and is not stored.
template <int kRank>
CUtensorMap map_of_boxes(const __nv_bfloat16* array, const cuuint64_t (&size)[kRank],
                         const cuuint64_t (&stride)[kRank - 1], const cuuint32_t (&box)[kRank]) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                     &found);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  constexpr cuuint32_t kStep[] = {1, 1, 1, 1, 1};
  CUtensorMap map;
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, kRank, const_cast<__nv_bfloat16*>(array), size,
         stride, box, kStep, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

// matrix: [heads][rows][d]. A box ends with its head.
inline CUtensorMap map_of_heads(const __nv_bfloat16* matrix, int heads, int rows, int d,
                                int box_rows) {
  const auto row_bytes = static_cast<cuuint64_t>(d) * sizeof(__nv_bfloat16);
  return map_of_boxes<3>(
      matrix,
      {static_cast<cuuint64_t>(d), static_cast<cuuint64_t>(rows), static_cast<cuuint64_t>(heads)},
      {row_bytes, row_bytes * static_cast<cuuint64_t>(rows)},
      {64, static_cast<cuuint32_t>(box_rows), 1});
}

// A tile of kTileRows rows of a head: [kD / 64][kTileRows][64].
template <int kTileRows, int kD>
__device__ void load_tile(__nv_bfloat16* to, const CUtensorMap* map, int row, int head,
                          uint64_t* bar) {
#pragma unroll
  for (int column = 0; column < kD; column += 64)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to + column * kTileRows)),
        "l"(map), "r"(column), "r"(row), "r"(head), "r"(shared_address(bar))
        : "memory");
}

// One group of stores for tma_store_wait_read.
template <int kTileRows, int kD>
__device__ void store_tile(const CUtensorMap* map, const __nv_bfloat16* from, int row, int head) {
#pragma unroll
  for (int column = 0; column < kD; column += 64)
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
            map),
        "r"(shared_address(from + column * kTileRows)), "r"(column), "r"(row), "r"(head)
        : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// ---- wgmma ----

// An operand that is stored along n, not along k: 64 columns of n to the next 64 are a whole box of
// kTileRows rows, and 16 of k are 16 rows: add 128 (2048 bytes / 16) to the descriptor for each.
template <int kTileRows>
__device__ uint64_t smem_desc_along_n(const __nv_bfloat16* tile) {
  constexpr uint64_t kNextBox = kTileRows * 64 * sizeof(__nv_bfloat16) / 16;
  return (shared_address(tile) & 0x3ffff) >> 4 | kNextBox << 16 | uint64_t{64} << 32 |
         uint64_t{1} << 62;
}

// Waits for every group but the newest kPending. `d` is complete then: the empty asm statements
// tell the compiler that it changes here.
template <int kPending, int kCount>
__device__ void wgmma_wait(float (&d)[kCount]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    asm volatile("" : "+f"(d[i])::"memory");
}

// Each warp reports that its own MMAs have read a stage.
inline __device__ void release(uint64_t* empty) {
  if (threadIdx.x % 32 == 0) arrive(empty);
}

// ---- two warpgroups that take turns ----

// Named barriers of both consumers' 256 threads: one waits, the other one arrives and goes on.
inline __device__ void wait_for_turn(int group) {
  asm volatile("bar.sync %0, 256;" ::"r"(4 + group) : "memory");
}
inline __device__ void give_turn_to(int group) {
  asm volatile("bar.arrive %0, 256;" ::"r"(4 + group) : "memory");
}

// ---- softmax ----

// This lane's first row among the 64 of its warpgroup; the other one is 8 further.
inline __device__ int row_of_lane() {
  return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
}

// A lane has kCount / 2 scores of each of its two rows. This is number e of row `half`: two
// neighbours of every eight columns.
template <int kCount>
__device__ float& score(float (&s)[kCount], int half, int e) {
  return s[e / 2 * 4 + half * 2 + e % 2];
}

// Scores become minus infinity where the row does not see the key. query: of this lane's first row;
// key0: the tile's first key.
template <int kCount>
__device__ void hide_keys(float (&s)[kCount], int query, int key0, int queries, int keys,
                          int mask) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int visible = visible_keys(query + 8 * half, queries, keys, mask) - key0 -
                        threadIdx.x % 4 * 2;  // counted from this lane's first column
#pragma unroll
    for (int e = 0; e < kCount / 2; ++e)
      if (e / 2 * 8 + e % 2 >= visible) score(s, half, e) = -INFINITY;
  }
}

// The state of the online softmax for this lane's two rows.
struct Softmax {
  float m[2] = {-INFINITY, -INFINITY};  // the maximum, before the scale
  float l[2] = {};                      // this lane's part of the sum
  float factor[2];                      // by which o must be multiplied
};

inline __device__ float fast_exp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// The scores of a tile become its weights. Two maxima and two sums per row: of one, each
// instruction would wait for the one before.
template <int kCount>
__device__ void update(float (&s)[kCount], Softmax& softmax, float scale) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float largest[2] = {softmax.m[half], softmax.m[half]}, sum[2] = {};
#pragma unroll
    for (int e = 0; e < kCount / 2; ++e)
      largest[e / 2 % 2] = fmaxf(largest[e / 2 % 2], score(s, half, e));
    float larger = fmaxf(largest[0], largest[1]);
    larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 1));
    larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 2));
    const float base = larger == -INFINITY ? 0 : larger * scale;  // no key seen yet
    softmax.factor[half] = fast_exp2(fmaf(softmax.m[half], scale, -base));
    softmax.m[half] = larger;
#pragma unroll
    for (int e = 0; e < kCount / 2; ++e)
      sum[e % 2] += score(s, half, e) = fast_exp2(fmaf(score(s, half, e), scale, -base));
    softmax.l[half] = softmax.l[half] * softmax.factor[half] + (sum[0] + sum[1]);
  }
}

template <int kCount>
__device__ void rescale(float (&o)[kCount], const Softmax& softmax) {
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    o[i] *= softmax.factor[i / 2 % 2];
}

inline __device__ uint32_t pack(float first, float second) {
  const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const uint32_t*>(&two);
}

// 1 / l of both rows, 0 where no key was seen: the sums of the four lanes of a row.
inline __device__ void shares(float (&share)[2], const Softmax& softmax) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float sum = softmax.l[half];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    share[half] = sum > 0 ? 1 / sum : 0;
  }
}

// out [queries][kD] = o / l for this lane's rows, query and query + 8.
template <int kD>
__device__ void store_output(__nv_bfloat16* out, const float (&o)[kD / 2], const Softmax& softmax,
                             int query, int queries) {
  float share[2];
  shares(share, softmax);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = query + 8 * half;
    if (row >= queries) continue;
    auto* to = reinterpret_cast<uint32_t*>(out + static_cast<int64_t>(row) * kD) + threadIdx.x % 4;
#pragma unroll
    for (int j = 0; j < kD / 8; ++j)
      to[4 * j] = pack(o[4 * j + 2 * half] * share[half], o[4 * j + 2 * half + 1] * share[half]);
  }
}
