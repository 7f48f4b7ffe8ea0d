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
#include "float_tiles.h"

namespace {

// The update of rung 2 for a tile: s becomes exp2(s - m) with the new maximum, l and o are
// adjusted.
template <int kColumns>
__device__ void update(float (&s)[4][4], float (&m)[4], float (&l)[4], float (&o)[4][kColumns]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // TODO (about 10 lines): the new maximum of row i over all its 16 threads, the factor, the
    // weights, and what becomes of l[i] and o[i]. A row that has seen no key yet has the maximum
    // minus infinity: do not subtract that from itself.
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
    // TODO (about 10 lines): for every key of the tile, add its weights (weights_of_key(), of this
    // thread's four rows) times its values (tiles.v[key], this thread's columns) to o.
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
