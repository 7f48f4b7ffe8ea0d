// expect: SLOW
// Right: the tile is read as float4, and each of its four floats is stored by itself.
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
  const int q =
      threadIdx.x % kVectors;  // a float4 along the row: neighbouring lanes, neighbouring float4
  const int g = threadIdx.x / kVectors;  // a group of 4 rows
  float4 line[4];                        // rows of the square
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int row = row0 + 4 * g + k, col = col0 + 4 * q;
    line[k] = load_float4<kWhole>(in + row * cols + col, row < rows ? cols - col : 0);
  }
  tile[4 * q + 0][g ^ q] = make_float4(line[0].x, line[1].x, line[2].x, line[3].x);
  tile[4 * q + 1][g ^ q] = make_float4(line[0].y, line[1].y, line[2].y, line[3].y);
  tile[4 * q + 2][g ^ q] = make_float4(line[0].z, line[1].z, line[2].z, line[3].z);
  tile[4 * q + 3][g ^ q] = make_float4(line[0].w, line[1].w, line[2].w, line[3].w);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int row = col0 + 4 * g + k, col = row0 + 4 * q;  // of out: [cols][rows]
    store_float4<false>(out + row * rows + col, tile[4 * g + k][q ^ g],
                        row < cols ? rows - col : 0);
  }
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
