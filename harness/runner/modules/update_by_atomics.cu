// The update of an embedding table by atomics: one warp per lookup, four columns per lane, several
// lookups in flight. A baseline with the method of solutions/08-embedding/5-update-with-atomics.cu.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256, kLookups = 8;  // per warp

__device__ void add_float4(float* to, float4 value) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
               : "memory");
}

__global__ void update_warp_per_lookup(const __nv_bfloat16* gradient, const int64_t* indices, float rate, float* table,
                                       int cols, int lookups) {
  const int lane = threadIdx.x % 32;
  const int first = (blockIdx.x * kThreads + threadIdx.x) / 32 * kLookups;
  const int mine = lane < kLookups && first + lane < lookups ? static_cast<int>(indices[first + lane]) : -1;
  int rows[kLookups];
#pragma unroll
  for (int k = 0; k < kLookups; ++k)
    rows[k] = __shfl_sync(0xffffffff, mine, k);
  for (int c = 4 * lane; c < cols; c += 4 * 32) {
    uint2 x[kLookups];
#pragma unroll
    for (int k = 0; k < kLookups; ++k)
      x[k] = rows[k] >= 0
                 ? *reinterpret_cast<const uint2*>(gradient + static_cast<int64_t>(first + k) * cols + c)
                 : make_uint2(0, 0);
#pragma unroll
    for (int k = 0; k < kLookups; ++k) {
      if (rows[k] < 0) continue;
      const float2 a = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&x[k].x)),
                   b = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&x[k].y));
      add_float4(table + static_cast<int64_t>(rows[k]) * cols + c,
                 make_float4(-rate * a.x, -rate * a.y, -rate * b.x, -rate * b.y));
    }
  }
}

}  // namespace

extern "C" int ridge_update_by_atomics(void* const* buffers, const int64_t* sizes, const double* scalars,
                                       cudaStream_t stream) {
  const int cols = static_cast<int>(sizes[1]), lookups = static_cast<int>(sizes[2]);
  constexpr int kPerBlock = kThreads / 32 * kLookups;
  update_warp_per_lookup<<<(lookups + kPerBlock - 1) / kPerBlock, kThreads, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(buffers[0]), static_cast<const int64_t*>(buffers[1]),
      static_cast<float>(scalars[0]), static_cast<float*>(buffers[2]), cols, lookups);
  return cudaGetLastError();
}
