// The reference of the ladder: lab 04, rung 1.
//
// The first three rungs are lab 04 once more, for any size: write them again from memory, or copy
// yours. They are here so that the whole ladder is measured with the same problem and baseline.
// This one is one thread per element of C, with x along the rows.
//
//     ./ridge grade 05-gemm-float32/1-naive
//
// Hypothesis: none; this is the reference.
// What changed: nothing yet. 2 operations per 8 bytes requested, and 16 sectors per load of A by a
// warp.
// What that bought: a correct result, against which the other rungs are compared.
// Measured on an H200: 1.9% of cublasSgemm (course/measured/nvidia-h200).
#include "gemm_float32.h"

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
