// Matrix multiplication, one thread per element of C.
//
// Element [row][col] of C is the dot product of row `row` of A and column `col` of B. All elements
// are independent, so each thread computes one: m n threads, each with a loop of k iterations.
//
// Which of row and col is x? Here x is the row, the order in which the indices are written. Write
// it that way; rung 2 shows what it costs.
//
//     ./ridge grade 04-tiled-gemm/1-naive
//
// Hypothesis: this is the reference of the lab; its loads limit it.
// What changed: nothing yet. Each FMA loads two floats: 2 operations per 8 bytes, an arithmetic
// intensity of 0.25. The ridge point of an H200 is at 14.
// What that bought: a correct result, against which the other rungs are compared.
// Measured on an H200: 1.9% of cublasSgemm (course/measured/nvidia-h200).
#include "tiled_gemm.h"

namespace {

constexpr int kBlock = 16;  // a block computes 16 x 16 elements of C

__global__ void multiply_row_along_x(const float* a,  // [m][k]
                                     const float* b,  // [k][n]
                                     float* c,        // [m][n]
                                     int m, int n, int k) {
  const int row = blockIdx.x * kBlock + threadIdx.x, col = blockIdx.y * kBlock + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p)
    sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kBlock, kBlock);
  const dim3 grid((m + kBlock - 1) / kBlock, (n + kBlock - 1) / kBlock);
  multiply_row_along_x<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
