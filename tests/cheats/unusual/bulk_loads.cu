// Loads by bulk copies into shared memory (one thread asks for 16 KB), adds there, and stores float4.
#include <cuda/barrier>
#include <cuda/ptx>

#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256, kTile = 4096;  // floats per block

__global__ void __launch_bounds__(kThreads) add_bulk(const float* a, const float* b, float* c, int n) {
  __shared__ alignas(128) float of_a[kTile];  // [kTile]
  __shared__ alignas(128) float of_b[kTile];  // [kTile]
  __shared__ alignas(8) uint64_t full;
  const int begin = blockIdx.x * kTile;
  if (n - begin < kTile) {
    for (int i = begin + threadIdx.x; i < n; i += kThreads)
      c[i] = a[i] + b[i];
    return;
  }
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_init(&full, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned bytes = kTile * sizeof(float);
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &full, 2 * bytes);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, of_a, a + begin, bytes, &full);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, of_b, b + begin, bytes, &full);
  }
  while (!cuda::ptx::mbarrier_try_wait_parity(&full, 0)) {
  }
  for (int i = threadIdx.x * 4; i < kTile; i += kThreads * 4) {
    const float4 p = *reinterpret_cast<const float4*>(of_a + i), q = *reinterpret_cast<const float4*>(of_b + i);
    *reinterpret_cast<float4*>(c + begin + i) = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
  }
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add_bulk<<<(n + kTile - 1) / kTile, kThreads, 0, stream>>>(a, b, c, n);
}
