// expect: WRONG
// The indices are read as integers of 4 bytes: every second one is the upper half of its neighbour.
#include "embedding.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void lookup_element_per_thread(const __nv_bfloat16* table, const int64_t* indices,
                                          __nv_bfloat16* out, unsigned cols, unsigned elements) {
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;  // flat index into out
  if (at >= elements) return;
  const unsigned lookup = at / cols, column = at % cols;
  const int64_t row = reinterpret_cast<const int*>(indices)[lookup];
  out[at] = row < 0 ? __nv_bfloat16(0.0f) : table[row * cols + column];
}

}  // namespace

extern "C" void embedding_lookup(const __nv_bfloat16* table, const int64_t* indices,
                                 __nv_bfloat16* out, int, int cols, int lookups,
                                 cudaStream_t stream) {
  const unsigned elements = static_cast<unsigned>(lookups) * cols;
  const unsigned blocks = (elements + kThreads - 1) / kThreads;
  lookup_element_per_thread<<<blocks, kThreads, 0, stream>>>(table, indices, out, cols, elements);
}
