// Clusters of four blocks that need nothing of each other, and the rank of a thread in the grid.
#include <cooperative_groups.h>

#include "kernel_basics.h"
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4, 1, 1) add(const float* a, const float* b, float* c, int n) {
  auto grid = cg::this_grid();
  for (size_t i = grid.thread_rank(); i < (size_t)n; i += grid.size())
    c[i] = a[i] + b[i];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {
  add<<<1056, 256, 0, s>>>(a, b, c, n);
}
