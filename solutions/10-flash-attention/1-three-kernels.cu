// Attention by three kernels: the table of all scores, its softmax, and the product with v.
//
// As the formula reads: S = q k^T / sqrt(d) is a matrix product, its rows go through a softmax, and
// the result P is the left operand of a second product. S and P have an element for each pair of a
// query and a key. They are tables in global memory:
//
//     kernel 1    S [queries][keys], float32      written                4 bytes per pair
//     kernel 2    S -> P [queries][keys], bf16    read three times, and written
//     kernel 3    out = P v                       read                   2 bytes per pair
//
// Both tables have rows of `stride` elements, keys rounded up to 64, so that a row begins at a
// multiple of 16 bytes and a tile never ends inside one. What no query sees has the score minus
// infinity, and so has the rounded-up part: its weight is exp(-inf) = 0. A row in which every score
// is minus infinity has no maximum to subtract; its weights are 0.
//
// The products are given (tile_products.h): a block of four warps computes 64 rows.
//
//     ./ridge grade 10-flash-attention/1-three-kernels
//
// Hypothesis: the products are fast; the traffic of the tables takes the time.
// What that bought: a right answer to compare with, at 6 bytes of memory per pair.
// Measured on an H200: 12.9% of cuDNN (course/measured/nvidia-h200).
#include "tile_products.h"

namespace {

constexpr int kTile = 64, kThreads = 128;  // a warp has 16 rows of a tile

// s [heads][queries][stride]: the scores of 64 x 64 pairs.
template <int kD>
__global__ void __launch_bounds__(kThreads)
    write_scores(const __nv_bfloat16* q, const __nv_bfloat16* k, float* s, int queries, int keys,
                 int stride, int mask) {
  __shared__ __align__(1024) __nv_bfloat16 tile_q[kTile * kD], tile_k[kTile * kD];  // [64][kD]
  const int key0 = blockIdx.x * kTile, query0 = blockIdx.y * kTile;
  const int64_t head = blockIdx.z;
  start_copy<kTile, kD, kThreads>(tile_q, q + (head * queries + query0) * kD, queries - query0, kD);
  start_copy<kTile, kD, kThreads>(tile_k, k + (head * keys + key0) * kD, keys - key0, kD);
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
  float acc[kTile / 8][4] = {};  // [column tile][of this lane]
  multiply_by_transposed<kD>(acc, tile_q, tile_k);
  const int lane = threadIdx.x % 32, first_row = query0 + threadIdx.x / 32 * 16 + lane / 4;
  const float scale = logit_scale(kD);
  for (int j = 0; j < kTile / 8; ++j)
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + 8 * half, col = key0 + 8 * j + lane % 4 * 2;
      if (row >= queries) continue;
      const int visible = visible_keys(row, queries, keys, mask);
      const float2 pair = {col < visible ? acc[j][2 * half] * scale : -INFINITY,
                           col + 1 < visible ? acc[j][2 * half + 1] * scale : -INFINITY};
      *reinterpret_cast<float2*>(s + (head * queries + row) * stride + col) = pair;
    }
}

// p = softmax(s), row by row: a warp per row.
__global__ void __launch_bounds__(kThreads)
    softmax_rows(const float* s, __nv_bfloat16* p, int64_t rows, int stride) {
  constexpr unsigned kAll = 0xffffffff;
  const int lane = threadIdx.x % 32;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (kThreads / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const float2* from = reinterpret_cast<const float2*>(s + row * stride);    // [stride / 2]
  __nv_bfloat162* to = reinterpret_cast<__nv_bfloat162*>(p + row * stride);  // [stride / 2]
  float largest = -INFINITY, sum = 0;
  for (int i = lane; i < stride / 2; i += 32)
    largest = fmaxf(largest, fmaxf(from[i].x, from[i].y));
  for (int d = 16; d > 0; d /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(kAll, largest, d));
  if (largest == -INFINITY) largest = 0;  // the query sees no key: exp(-inf - 0) is 0
  for (int i = lane; i < stride / 2; i += 32)
    sum += __expf(from[i].x - largest) + __expf(from[i].y - largest);
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(kAll, sum, d);
  const float factor = sum > 0 ? 1 / sum : 0;
  for (int i = lane; i < stride / 2; i += 32)
    to[i] = __floats2bfloat162_rn(__expf(from[i].x - largest) * factor,
                                  __expf(from[i].y - largest) * factor);
}

// out = p v: 64 rows of one head.
template <int kD>
__global__ void __launch_bounds__(kThreads)
    multiply_by_values(const __nv_bfloat16* p, const __nv_bfloat16* v, __nv_bfloat16* out,
                       int queries, int keys, int stride) {
  __shared__ __align__(1024) __nv_bfloat16 tile_p[kTile * kTile], tile_v[kTile * kD];
  const int query0 = blockIdx.x * kTile;
  const int64_t head = blockIdx.y;
  const __nv_bfloat16* rows_of_p = p + (head * queries + query0) * stride;
  float acc[kD / 8][4] = {};  // [column tile][of this lane]
  for (int key0 = 0; key0 < keys; key0 += kTile) {
    start_copy<kTile, kTile, kThreads>(tile_p, rows_of_p + key0, queries - query0, stride);
    start_copy<kTile, kD, kThreads>(tile_v, v + (head * keys + key0) * kD, keys - key0, kD);
    commit_copies();
    wait_for_copies<0>();
    __syncthreads();
    multiply<kD>(acc, tile_p, tile_v);
    __syncthreads();  // before the tiles are overwritten
  }
  const int lane = threadIdx.x % 32, first_row = query0 + threadIdx.x / 32 * 16 + lane / 4;
  for (int j = 0; j < kD / 8; ++j)
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + 8 * half, col = 8 * j + lane % 4 * 2;
      if (row < queries)
        *reinterpret_cast<__nv_bfloat162*>(out + (head * queries + row) * kD + col) =
            __floats2bfloat162_rn(acc[j][2 * half], acc[j][2 * half + 1]);
    }
}

template <int kD>
void launch(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
            __nv_bfloat16* out, int heads, int queries, int keys, int mask, cudaStream_t stream) {
  const int tiles_q = (queries + kTile - 1) / kTile, tiles_k = (keys + kTile - 1) / kTile;
  const int stride = tiles_k * kTile;
  const int64_t rows = static_cast<int64_t>(heads) * queries;
  float* s = nullptr;          // [heads][queries][stride]
  __nv_bfloat16* p = nullptr;  // [heads][queries][stride]
  cudaMallocAsync(&s, rows * stride * sizeof(float), stream);
  cudaMallocAsync(&p, rows * stride * sizeof(__nv_bfloat16), stream);
  const dim3 pairs(tiles_k, tiles_q, heads), queries_of_heads(tiles_q, heads);
  const auto row_blocks = static_cast<unsigned>((rows + kThreads / 32 - 1) / (kThreads / 32));
  write_scores<kD><<<pairs, kThreads, 0, stream>>>(q, k, s, queries, keys, stride, mask);
  softmax_rows<<<row_blocks, kThreads, 0, stream>>>(s, p, rows, stride);
  multiply_by_values<kD>
      <<<queries_of_heads, kThreads, 0, stream>>>(p, v, out, queries, keys, stride);
  cudaFreeAsync(p, stream);
  cudaFreeAsync(s, stream);
}

}  // namespace

extern "C" void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                          __nv_bfloat16* out, int heads, int queries, int keys, int d, int mask,
                          cudaStream_t stream) {
  if (d == 64)
    launch<64>(q, k, v, out, heads, queries, keys, mask, stream);
  else
    launch<128>(q, k, v, out, heads, queries, keys, mask, stream);
}
