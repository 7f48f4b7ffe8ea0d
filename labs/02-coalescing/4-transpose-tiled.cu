// The same transpose through a tile in shared memory.
//
// Rung 3 is limited by its stores: 32 sectors for 128 bytes. Global memory needs contiguous
// accesses on both sides. Shared memory does not: it is on the SM, belongs to one block, and every
// thread of the block can read what another one wrote. A block transposes a tile of 32 x 32 floats:
//
//     1. its warps read rows of the tile from `in` (unit stride) and write them to shared memory;
//     2. all threads wait until the tile is complete: __syncthreads();
//     3. its warps read columns of the tile and write them as rows of `out` (unit stride).
//
// A block has 32 x 8 threads, so each thread moves 4 elements: rows y, y + 8, y + 16 and y + 24 of
// the tile.
//
//     ./ridge grade 02-coalescing/4-transpose-tiled
#include "coalescing.h"

namespace {

constexpr int kTile = 32;      // the tile is 32 x 32 floats
constexpr int kBlockRows = 8;  // rows of the tile that a block moves per iteration

__global__ void transpose_tiled(const float* in,  // [rows][cols]
                                float* out,       // [cols][rows]
                                int rows, int cols) {
  // TODO (about 8 lines): declare `__shared__ float tile[kTile][kTile]`; fill it from `in`, 4
  // elements per thread, with x along the columns of `in` and bounds checks for both edges; wait
  // for all threads of the block.

  // TODO (about 6 lines): in `out` this block's tile begins at row blockIdx.x * kTile and column
  // blockIdx.y * kTile. Write it with x along the columns of `out`, reading each element from its
  // place in the tile, with bounds checks for both edges.
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTile, kBlockRows);
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tiled<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
