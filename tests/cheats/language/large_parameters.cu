// 8 KB of parameters: a table of the pieces, one per block.
#include "kernel_basics.h"

namespace {
struct Piece {
  const float *a, *b;
  float* c;
  int n;
};
struct Table {
  Piece pieces[256];
};

__global__ void add_pieces(const __grid_constant__ Table table) {
  const Piece& piece = table.pieces[blockIdx.y];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < piece.n) piece.c[i] = piece.a[i] + piece.b[i];
}
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  Table table{};
  const int length = (n + 255) / 256;
  int count = 0;
  for (; count * length < n; ++count) {
    const int first = count * length, here = n - first < length ? n - first : length;
    table.pieces[count] = {a + first, b + first, c + first, here};
  }
  add_pieces<<<dim3((length + 255) / 256, count), 256, 0, stream>>>(table);
}
