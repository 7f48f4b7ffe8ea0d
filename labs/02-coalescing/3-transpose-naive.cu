// out[col][row] = in[row][col], one thread per element.
//
// A transpose moves every element and computes nothing: only memory counts. Neighbours in a row of
// `in` become neighbours in a column of `out`, `rows` floats apart. Whatever a warp does, one side
// has unit stride and the other has not: 4 sectors per request on one side, 32 on the other.
//
// Write it so that the loads have unit stride, and look at the counts of the store: rungs 4 to 6
// improve them.
//
//     ./ridge grade 02-coalescing/3-transpose-naive
#include "coalescing.h"

namespace {

__global__ void transpose_unit_stride_loads(const float* in,  // [rows][cols]
                                            float* out,       // [cols][rows]
                                            int rows, int cols) {
  // TODO (about 3 lines): this thread's row and column of `in`, with x along the side that should
  // have unit stride; a bounds check for both; move one element. Until you do, nothing is written.
}

}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(32, 8);  // x: one warp, y: 8 warps
  const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  transpose_unit_stride_loads<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
