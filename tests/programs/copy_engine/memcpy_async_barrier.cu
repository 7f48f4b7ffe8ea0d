// The same copies through libcu++: cuda::memcpy_async and a cuda::barrier, cooperative groups' pipeline, and
// cuda::ptx.
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>

#include "check.h"

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Aligned pointers and size: libcu++ makes this one bulk copy.
__global__ void reverse_by_memcpy_async(const int* in, int* out, int n) {
  __shared__ alignas(128) int chunk[1024];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const int first = blockIdx.x * 1024, count = min(1024, n - first);
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(chunk, in + first, cuda::aligned_size_t<16>(count * sizeof(int)), barrier);
    token = barrier.arrive();
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    out[n - 1 - (first + i)] = chunk[i];
}

// With the barrier's transaction count in the program's own hands.
__global__ void scale_by_bulk_copy(const int* in, int* out, int factor) {
  __shared__ alignas(128) int chunk[256];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, chunk, in + blockIdx.x * 256, sizeof chunk,
                       cuda::device::barrier_native_handle(barrier));
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof chunk);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  chunk[threadIdx.x] *= factor;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 256, chunk, sizeof chunk);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
  }
}

int main() {
  constexpr int n = 1024 * 9 + 256;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * i % 10007;
  int *device_in = device_array<int>(n), *device_out = device_array<int>(n);
  to_device(device_in, in.data(), n);
  reverse_by_memcpy_async<<<10, 128>>>(device_in, device_out, n);
  finish("reverse");
  to_host(out.data(), device_out, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += out[i] != in[n - 1 - i];
  printf("reversed: %d wrong\n", wrong);
  scale_by_bulk_copy<<<n / 256, 256>>>(device_in, device_out, 3);
  finish("scale");
  to_host(out.data(), device_out, n);
  wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += out[i] != in[i] * 3;
  printf("scaled: %d wrong\n", wrong);
}
