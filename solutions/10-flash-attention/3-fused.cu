// Fused attention: a tile of queries visits the tiles of keys, and the scores never leave the SM.
//
// In rung 2 each query reads all keys and values: 4 d bytes for 4 d operations. Rung 1 reads a tile
// of keys for 64 queries at once, but writes the scores. Both at once: a block keeps 64 queries,
// and for each tile of 64 keys it computes 64 x 64 scores, applies rung 2's update to a whole tile,
// and adds the product with the values to its 64 x d accumulators:
//
//              keys ->   tile 0    tile 1    tile 2
//     64 queries         S  P      S  P      S  P         scores: in registers
//     m, l, o           update    update    update        one maximum and sum per row
//
// What rung 2 does per key, this does per tile: one new maximum per row and tile, one factor for
// the row's accumulators, then 64 keys without any.
//
// The 256 threads are a square of 16 x 16. Thread (ty, tx) has rows 4 ty .. 4 ty + 3; of the scores
// it has keys 4 tx .. 4 tx + 3, of the accumulators columns 4 tx .. 4 tx + 3 of every 64. The 16
// threads of a row are half a warp. q and k are transposed in shared memory, so that a thread loads
// an operand of four rows as one float4. P goes through shared memory, because a thread needs the
// weights of all 64 keys of its rows. Its own half warp has written them, so __syncwarp() suffices.
//
//     ./ridge grade 10-flash-attention/3-fused
//
// Hypothesis: rung 2 is limited by the loads of its operands; a tile of 64 queries needs 1/64 of
// them.
// What changed from rung 2: tiles in shared memory, and the update once per tile of keys.
// What that bought: 64 operations per byte of the caches instead of one. Now the FMAs of the CUDA
// cores are the limit.
// Measured on an H200: 4.9% of cuDNN (course/measured/nvidia-h200).
#include "float_tiles.h"

namespace {

// The update of rung 2 for a tile: s becomes exp2(s - m) with the new maximum, l and o are
// adjusted.
template <int kColumns>
__device__ void update(float (&s)[4][4], float (&m)[4], float (&l)[4], float (&o)[4][kColumns]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float larger = fmaxf(m[i], fmaxf(fmaxf(s[i][0], s[i][1]), fmaxf(s[i][2], s[i][3])));
    larger = max_of_row(larger);
    // A row that has seen no key yet: exp2(-inf - 0) is 0, where -inf - -inf is not a number.
    const float base = larger == -INFINITY ? 0 : larger;
    const float factor = exp2f(m[i] - base);
    m[i] = larger;
    l[i] *= factor;
#pragma unroll
    for (int j = 0; j < 4; ++j)
      l[i] += s[i][j] = exp2f(s[i][j] - base);
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
      o[i][c] *= factor;
  }
}

template <int kD>
__global__ void __launch_bounds__(kThreads)
    attend_tile_fused(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                      __nv_bfloat16* out, int queries, int keys, int mask) {
  extern __shared__ float memory[];
  Tiles<kD>& tiles = *reinterpret_cast<Tiles<kD>*>(memory);
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16, query0 = blockIdx.x * kTile;
  const int64_t head = blockIdx.y;
  const float scale = logit_scale(kD) * kLog2E;
  float o[4][kD / 16] = {}, m[4], l[4] = {};
  for (float& of_row : m)
    of_row = -INFINITY;
  load_transposed<kD>(tiles.q, q + (head * queries + query0) * kD, queries - query0);
  for (int key0 = 0; key0 < keys; key0 += kTile) {
    __syncthreads();  // the tiles of the step before have been read
    load_transposed<kD>(tiles.k, k + (head * keys + key0) * kD, keys - key0);
    load<kD>(tiles.v, v + (head * keys + key0) * kD, keys - key0);
    __syncthreads();
    float s[4][4] = {};  // [row][key] of this thread
    multiply_by_keys<kD>(s, tiles.q, tiles.k);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int visible = visible_keys(query0 + 4 * ty + i, queries, keys, mask);
#pragma unroll
      for (int j = 0; j < 4; ++j)
        s[i][j] = key0 + 4 * tx + j < visible ? s[i][j] * scale : -INFINITY;
    }
    update(s, m, l, o);
    store_weights(tiles.p, s);
    __syncwarp();
    for (int key = 0; key < kTile; ++key) {
      const float4 p = weights_of_key(tiles.p, key);
      const float of_row[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
      for (int h = 0; h < kD / 64; ++h) {
        const float4 value = *reinterpret_cast<const float4*>(&tiles.v[key][64 * h + 4 * tx]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          o[i][4 * h] += of_row[i] * value.x;
          o[i][4 * h + 1] += of_row[i] * value.y;
          o[i][4 * h + 2] += of_row[i] * value.z;
          o[i][4 * h + 3] += of_row[i] * value.w;
        }
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    const float sum = sum_of_row(l[i]), share = sum > 0 ? 1 / sum : 0;
    const int query = query0 + 4 * ty + i;
    if (query < queries) store_row<kD>(out + (head * queries + query) * kD, o[i], share);
  }
}

template <int kD>
void launch(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
            __nv_bfloat16* out, int heads, int queries, int keys, int mask, cudaStream_t stream) {
  cudaFuncSetAttribute(attend_tile_fused<kD>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       sizeof(Tiles<kD>));
  const dim3 grid((queries + kTile - 1) / kTile, heads);
  attend_tile_fused<kD>
      <<<grid, kThreads, sizeof(Tiles<kD>), stream>>>(q, k, v, out, queries, keys, mask);
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
