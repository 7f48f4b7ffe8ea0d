// A tile per warp, in shared memory of its own, and no barrier of the block.
#include "coalescing.h"
__global__ void __launch_bounds__(128)
    t(const float* in, float* out, int rows, int cols, int tiles_x, int tiles) {
  __shared__ float room[4][32 * 33];
  const int lane = threadIdx.x % 32, w = threadIdx.x / 32, tile = blockIdx.x * 4 + w;
  if (tile >= tiles) return;
  const int c0 = tile % tiles_x * 32, r0 = tile / tiles_x * 32;
  float* own = room[w];
  for (int r = 0; r < 32; ++r)
    if (r0 + r < rows && c0 + lane < cols)
      own[r * 33 + lane] = in[(long long)(r0 + r) * cols + c0 + lane];
  __syncwarp();
  for (int r = 0; r < 32; ++r)
    if (c0 + r < cols && r0 + lane < rows)
      out[(long long)(c0 + r) * rows + r0 + lane] = own[lane * 33 + r];
}
extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t s) {
  const int x = (cols + 31) / 32, n = x * ((rows + 31) / 32);
  t<<<(n + 3) / 4, 128, 0, s>>>(in, out, rows, cols, x, n);
}
