// Two and three dimensions in blocks and grids, edges that do not divide, and every index variable.
#include <vector>

#include "check.h"

__global__ void transpose(const int* in, int* out, int rows, int columns) {
  __shared__ int tile[16][17];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
  __syncthreads();
  column = blockIdx.y * 16 + threadIdx.x;
  row = blockIdx.x * 16 + threadIdx.y;
  if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}

__global__ void index_3d(int* out) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 1000 + thread * 10 + static_cast<int>(threadIdx.z);
}

int main() {
  constexpr int rows = 45, columns = 70;
  std::vector<int> in(rows * columns), out(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    in[i] = i;
  int *din = device_array<int>(in.size()), *dout = device_array<int>(out.size());
  to_device(din, in.data(), in.size());
  transpose<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(din, dout, rows, columns);
  finish("transpose");
  to_host(out.data(), dout, out.size());
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c)
      wrong += out[c * rows + r] != in[r * columns + c];
  }
  printf("transpose wrong: %d\n", wrong);

  constexpr int blocks = 2 * 3 * 4, threads = 5 * 2 * 3;
  int* indices = device_array<int>(blocks * threads);
  index_3d<<<dim3(2, 3, 4), dim3(5, 2, 3)>>>(indices);
  finish("index_3d");
  std::vector<int> got(blocks * threads);
  to_host(got.data(), indices, got.size());
  wrong = 0;
  for (int b = 0; b < blocks; ++b) {
    for (int t = 0; t < threads; ++t)
      wrong += got[b * threads + t] != b * 1000 + t * 10 + t / 10;
  }
  printf("index_3d wrong: %d, last %d\n", wrong, got.back());
}
