// expect: OUT OF BOUNDS
// finding: out_of_bounds.padding_index
// An index of -1 is read like any other: the row before the table.
#include "embedding.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void lookup_element_per_thread(const __nv_bfloat16* table, const int64_t* indices,
                                          __nv_bfloat16* out, unsigned cols, unsigned elements) {
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;  // flat index into out
  if (at >= elements) return;
  const unsigned lookup = at / cols, column = at % cols;
  const int64_t row = indices[lookup];
  out[at] = table[row * static_cast<int64_t>(cols) + column];
}

}  // namespace

extern "C" void embedding_lookup(const __nv_bfloat16* table, const int64_t* indices,
                                 __nv_bfloat16* out, int, int cols, int lookups,
                                 cudaStream_t stream) {
  const unsigned elements = static_cast<unsigned>(lookups) * cols;
  const unsigned blocks = (elements + kThreads - 1) / kThreads;
  lookup_element_per_thread<<<blocks, kThreads, 0, stream>>>(table, indices, out, cols, elements);
}
