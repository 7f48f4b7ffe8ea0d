// The naive kernel of embedding_update: a thread per lookup, one atomic per float.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256;

__global__ void update_thread_per_lookup(const __nv_bfloat16* gradient, const int64_t* indices, float rate,
                                         float* table, int cols, int lookups) {
  const int lookup = blockIdx.x * kThreads + threadIdx.x;
  if (lookup >= lookups || indices[lookup] < 0) return;
  for (int c = 0; c < cols; ++c)
    atomicAdd(&table[indices[lookup] * cols + c],
              -rate * __bfloat162float(gradient[static_cast<int64_t>(lookup) * cols + c]));
}

}  // namespace

extern "C" void embedding_update(const __nv_bfloat16* gradient, const int64_t* indices, float rate, float* table,
                                 int, int cols, int lookups, cudaStream_t stream) {
  update_thread_per_lookup<<<(lookups + kThreads - 1) / kThreads, kThreads, 0, stream>>>(gradient, indices, rate,
                                                                                         table, cols, lookups);
}
