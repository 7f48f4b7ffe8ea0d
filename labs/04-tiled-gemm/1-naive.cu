// Matrix multiplication, one thread per element of C.
//
// Element [row][col] of C is the dot product of row `row` of A and column `col` of B. All elements
// are independent, so each thread computes one: m n threads, each with a loop of k iterations.
//
// Which of row and col is x? Here x is the row, the order in which the indices are written. Write
// it that way; rung 2 shows what it costs.
//
//     ./ridge grade 04-tiled-gemm/1-naive
#include "tiled_gemm.h"

namespace {

constexpr int kBlock = 16;  // a block computes 16 x 16 elements of C

__global__ void multiply_row_along_x(const float* a,  // [m][k]
                                     const float* b,  // [k][n]
                                     float* c,        // [m][n]
                                     int m, int n, int k) {
  // TODO (about 6 lines): this thread's row, from x, and column, from y; return if there is no such
  // element; compute the dot product of that row of A and that column of B; store it. Until you do,
  // nothing is written.
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kBlock, kBlock);
  const dim3 grid((m + kBlock - 1) / kBlock, (n + kBlock - 1) / kBlock);
  multiply_row_along_x<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
