// The naive kernel of embedding_bag: a thread per element of the result, one lookup after the other.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256;

__global__ void add_element_per_thread(const __nv_bfloat16* table, const int64_t* indices, const int64_t* offsets,
                                       __nv_bfloat16* out, int cols, int elements) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= elements) return;
  const int bag = at / cols, c = at % cols;
  float sum = 0;
  for (int64_t i = offsets[bag]; i < offsets[bag + 1]; ++i)
    if (indices[i] >= 0) sum += __bfloat162float(table[indices[i] * cols + c]);
  out[at] = __float2bfloat16(sum);
}

}  // namespace

extern "C" void embedding_bag(const __nv_bfloat16* table, const int64_t* indices, const int64_t* offsets,
                              __nv_bfloat16* out, int, int cols, int, int bags, cudaStream_t stream) {
  const int elements = bags * cols;
  add_element_per_thread<<<(elements + kThreads - 1) / kThreads, kThreads, 0, stream>>>(table, indices, offsets, out,
                                                                                        cols, elements);
}
