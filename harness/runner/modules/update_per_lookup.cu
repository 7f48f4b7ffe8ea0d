// The naive update of an embedding table: one thread per lookup, one atomic per float. A baseline.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256;

__global__ void update_thread_per_lookup(const __nv_bfloat16* gradient, const int64_t* indices, float rate, float* table,
                                         int cols, int lookups) {
  const int lookup = blockIdx.x * kThreads + threadIdx.x;
  if (lookup >= lookups || indices[lookup] < 0) return;
  const __nv_bfloat16* from = gradient + static_cast<int64_t>(lookup) * cols;
  float* to = table + indices[lookup] * cols;
  for (int c = 0; c < cols; ++c)
    atomicAdd(&to[c], -rate * __bfloat162float(from[c]));
}

}  // namespace

extern "C" int ridge_update_per_lookup(void* const* buffers, const int64_t* sizes, const double* scalars,
                                       cudaStream_t stream) {
  const int cols = static_cast<int>(sizes[1]), lookups = static_cast<int>(sizes[2]);
  update_thread_per_lookup<<<(lookups + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(buffers[0]), static_cast<const int64_t*>(buffers[1]),
      static_cast<float>(scalars[0]), static_cast<float*>(buffers[2]), cols, lookups);
  return cudaGetLastError();
}
