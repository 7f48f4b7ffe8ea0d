// out[i] = table[indices[i]]: a lookup, one element per thread.
//
// Which row a thread reads is data: it must load an index before it can ask for its element. The
// index is the same for all elements of a lookup, and neighbouring elements of a row are
// neighbouring bytes. So let neighbouring threads take neighbouring elements of `out`:
//
//     thread        0    1    2   ...  cols - 1   cols   cols + 1  ...
//     lookup        0    0    0            0        1        1
//     column        0    1    2        cols - 1     0        1
//
// A warp then loads one index, or two, and contiguous elements of one row, or two. The other way,
// one thread per lookup, has every lane of a warp in another row: 32 sectors for 32 elements.
//
// An index of -1 is padding: the row of `out` is zero, and nothing is read.
//
//     ./ridge grade 08-embedding/1-element-per-thread
//
// Hypothesis: with neighbouring threads in one row, the rows arrive in whole sectors, and what is
// left is the cost of one index load and one address per element of 2 bytes.
// What changed from one thread per lookup: 3 sectors per 32 elements instead of 32.
// What that bought: a fraction of the copy; the warps are busy with instructions, not with bytes.
// Measured on an H200: 22.7% of the device copy (course/measured/nvidia-h200).
#include "embedding.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void lookup_element_per_thread(const __nv_bfloat16* table, const int64_t* indices,
                                          __nv_bfloat16* out, unsigned cols, unsigned elements) {
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;  // flat index into out
  if (at >= elements) return;
  const unsigned lookup = at / cols, column = at % cols;
  const int64_t row = indices[lookup];
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
