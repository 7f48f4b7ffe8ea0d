// Lab 05, rung 11: matrices whose rows are not a multiple of 16 bytes long (n or k is not a
// multiple of 4).
//
// The copy engine needs rows that are a multiple of 16 bytes apart, and boxes that begin at such a
// multiple of their row. Copies of 4 bytes by the producer threads need neither, but they take
// turns with the consumers' loads at shared memory, in every k-step. A copy of the matrix with
// longer rows is made once: for m = n = k = 4097 two copies move 0.27 GB, at 3 TB/s 0.09 ms, and
// the product takes 3 ms.
#pragma once

#include <algorithm>

#include "hopper.cuh"

// to: [rows][stride], of which the first cols of each row are copied.
static __global__ void copy_to_longer_rows(const float* from, float* to, int rows, int cols,
                                           int stride) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
#pragma unroll 4
    for (int col = threadIdx.x; col < cols; col += blockDim.x)
      to[static_cast<size_t>(row) * stride + col] = from[static_cast<size_t>(row) * cols + col];
}

// A matrix [rows][cols] as the copy engine can read it: itself, or a copy in memory of its own,
// which is freed behind all work that is then in the stream.
class AlignedRows {
 public:
  AlignedRows(const float* matrix, int rows, int cols, cudaStream_t stream)
      : matrix_(matrix), rows_(rows), cols_(cols), stride_((cols + 3) / 4 * 4), stream_(stream) {
    if (stride_ == cols) return;
    cudaMallocAsync(&copy_, static_cast<size_t>(rows) * stride_ * sizeof(float), stream);
    copy_to_longer_rows<<<std::min(rows, 2048), 256, 0, stream>>>(matrix, copy_, rows, cols,
                                                                  stride_);
    matrix_ = copy_;
  }
  ~AlignedRows() {
    if (copy_) cudaFreeAsync(copy_, stream_);
  }
  CUtensorMap map(int box_rows, int box_cols, CUtensorMapSwizzle swizzle) const {
    return tensor_map(matrix_, rows_, cols_, box_rows, box_cols, swizzle, stride_);
  }

 private:
  const float* matrix_;
  float* copy_ = nullptr;
  int rows_, cols_, stride_;
  cudaStream_t stream_;
};
