// The transpose with float4 on every side.
//
// Rung 5 moves 4 bytes per lane and instruction: 16 memory instructions for 4 elements. Here a
// thread transposes a square of 4 x 4 floats. It loads the square's 4 rows as float4, transposes
// the square in registers, and has 4 pieces of 16 bytes of *output* rows. Those go through a shared
// tile of 64 x 64 floats, also as float4.
//
// Square (g, q) is rows 4g .. 4g+3 and columns 4q .. 4q+3 of the tile. Its column 4q+k is float4
// number g of row 4q+k of the transposed tile. A float4 access is served 8 lanes per wavefront, and
// those 8 should access 8 different groups of 4 banks. When they store, they have 8 neighbouring q
// and the same g: at place g of their rows all would access one group. Hence place `g ^ q`: it
// differs for 8 neighbouring q, and, when row 4q+k is read back, for 8 neighbouring g.
//
//     ./ridge grade 02-coalescing/6-transpose-vectorized
#include "coalescing.h"

namespace {

constexpr int kTile = 64;                      // a block transposes a tile of 64 x 64 floats
constexpr int kVectors = kTile / 4;            // float4 per row of the tile: 16
constexpr int kThreads = kVectors * kVectors;  // 256: one per square of 4 x 4

// Four floats of a row. kWhole: all four exist and are aligned to 16 bytes; otherwise only the
// first `left` exist.
template <bool kWhole>
__device__ float4 load_float4(const float* from, int left) {
  if constexpr (kWhole) return *reinterpret_cast<const float4*>(from);
  return make_float4(left > 0 ? from[0] : 0.0f, left > 1 ? from[1] : 0.0f,
                     left > 2 ? from[2] : 0.0f, left > 3 ? from[3] : 0.0f);
}

template <bool kWhole>
__device__ void store_float4(float* to, float4 v, int left) {
  if constexpr (kWhole) {
    *reinterpret_cast<float4*>(to) = v;
  } else {
    if (left > 0) to[0] = v.x;
    if (left > 1) to[1] = v.y;
    if (left > 2) to[2] = v.z;
    if (left > 3) to[3] = v.w;
  }
}

// Transposes the tile of `in` that begins at [row0][col0]. tile: the same tile transposed, [column
// of in][place].
template <bool kWhole>
__device__ void transpose_tile(float4 (*tile)[kVectors],  // [kTile][kVectors]
                               const float* in, float* out, int rows, int cols, int row0,
                               int col0) {
  // TODO (about 12 lines): this thread's square is q = threadIdx.x % kVectors, g = threadIdx.x /
  // kVectors. load_float4() four times: row0 + 4 * g + k is the row, col0 + 4 * q the first column,
  // for k = 0 .. 3. The number of floats left in a row is `row < rows ? cols - col : 0`. Then store
  // column k of the square, as a float4, in tile[4 * q + k][g ^ q].
  __syncthreads();
  // TODO (about 4 lines): row 4 * g + k of the transposed tile is row col0 + 4 * g + k of `out`, k
  // from 0 to 3. Store its float4 number q, from the place where the lines above stored it, with
  // store_float4().
}

__global__ void transpose_float4_swizzled(const float* in,  // [rows][cols]
                                          float* out,       // [cols][rows]
                                          int rows, int cols) {
  __shared__ float4 tile[kTile][kVectors];
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const bool aligned =
      rows % 4 == 0 && cols % 4 == 0;  // then every row of both matrices is aligned to 16 bytes
  if (aligned && row0 + kTile <= rows && col0 + kTile <= cols) {
    transpose_tile<true>(tile, in, out, rows, cols, row0, col0);
  } else {
    transpose_tile<false>(tile, in, out, rows, cols, row0, col0);
  }
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_float4_swizzled<<<grid, kThreads, 0, stream>>>(in, out, rows, cols);
}
