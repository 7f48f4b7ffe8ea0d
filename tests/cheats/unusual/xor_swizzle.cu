// A transpose without bank conflicts by an XOR swizzle instead of padding.
#include "coalescing.h"

namespace {

constexpr int kTile = 32, kRows = 8;

__global__ void transpose_swizzled(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTile][kTile];
  const int x = threadIdx.x, in_row = blockIdx.y * kTile, in_col = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kRows)
    if (in_row + y < rows && in_col + x < cols)
      tile[y][x ^ y] = in[static_cast<size_t>(in_row + y) * cols + in_col + x];
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += kRows)
    if (in_col + y < cols && in_row + x < rows)
      out[static_cast<size_t>(in_col + y) * rows + in_row + x] = tile[x][y ^ x];
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTile, kRows), grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_swizzled<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
