// Tiles in the grid's z and from the end of the matrix to its beginning, with a union and goto.
#include "coalescing.h"

namespace {
union Word {
  float number;
  unsigned bits;
};

__global__ void transpose_backwards(const float* in, float* out, int rows, int cols) {
  extern __shared__ unsigned char room[];
  unsigned(*tile)[33] = reinterpret_cast<unsigned(*)[33]>(room);
  const int first_col = 32 * (gridDim.z - 1 - blockIdx.z),
            first_row = 32 * (gridDim.y - 1 - blockIdx.y);
  int k = 31 - threadIdx.y;
load:
  if (first_row + k < rows && first_col + threadIdx.x < cols) {
    Word word;
    word.number = in[(first_row + k) * cols + first_col + threadIdx.x];
    tile[k][threadIdx.x] = word.bits;
  }
  if ((k -= 8) >= 0) goto load;
  __syncthreads();
  k = 31 - threadIdx.y;
  do {
    if (first_col + k < cols && first_row + threadIdx.x < rows)
      out[(first_col + k) * rows + first_row + threadIdx.x] = __uint_as_float(tile[threadIdx.x][k]);
  } while ((k -= 8) >= 0);
}
}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  transpose_backwards<<<dim3(1, (rows + 31) / 32, (cols + 31) / 32), dim3(32, 8), 32 * 33 * 4,
                        stream>>>(in, out, rows, cols);
}
