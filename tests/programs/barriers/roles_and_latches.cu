// How threads of a block wait for each other in libcu++: a pipeline of producers and consumers, copies ahead
// by the threads themselves, a barrier with a completion function, a latch, a semaphore, atomic_ref.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cstdio>
#include <cstring>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
namespace cg = cooperative_groups;
template <int kStages>
__global__ void roles(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int buffer[kStages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int i = 0; i < tiles; ++i) {
      pipe.producer_acquire();
      for (int k = threadIdx.x; k < 128; k += 32)
        cuda::memcpy_async(&buffer[i % kStages][k], in + i * 128 + k, sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
      pipe.consumer_wait();
      int t = threadIdx.x - 32;
      sum += buffer[i % kStages][t] * (i + 1) + buffer[i % kStages][127 - t];
      pipe.consumer_release();
    }
    out[threadIdx.x - 32] = sum;
  }
}
__global__ void unified(const float4* in, float4* out, int n) {
  extern __shared__ float4 tile[];
  auto pipe = cuda::make_pipeline();
  const int b = blockDim.x;
  for (int s = 0; s < 2; ++s) {
    pipe.producer_acquire();
    if (s < n)
      cuda::memcpy_async(tile + s * b + threadIdx.x, in + s * b + threadIdx.x, cuda::aligned_size_t<16>(16),
                         pipe);
    pipe.producer_commit();
  }
  for (int i = 0; i < n; ++i) {
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    float4 v = tile[i % 2 * b + (threadIdx.x ^ 1)];
    __syncthreads();
    pipe.consumer_release();
    out[i * b + threadIdx.x] = v;
    pipe.producer_acquire();
    if (i + 2 < n)
      cuda::memcpy_async(tile + i % 2 * b + threadIdx.x, in + (i + 2) * b + threadIdx.x,
                         cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  }
}
struct Add {
  int* where;
  __device__ void operator()() noexcept { ++*where; }
};
__global__ void completion(int* out) {
  __shared__ int phases;
  if (threadIdx.x == 0) phases = 0;
  __syncthreads();
  __shared__ cuda::barrier<cuda::thread_scope_block, Add>* bar;
  __shared__ alignas(16) char raw[sizeof(cuda::barrier<cuda::thread_scope_block, Add>)];
  if (threadIdx.x == 0)
    bar = new (raw) cuda::barrier<cuda::thread_scope_block, Add>(blockDim.x, Add{&phases});
  __syncthreads();
  for (int i = 0; i < 5; ++i) {
    bar->arrive_and_wait();
    if (threadIdx.x == 33) out[i] = phases;
    bar->arrive_and_wait();
  }
}
__device__ cuda::atomic<int, cuda::thread_scope_device> g_count{0};
__global__ void sync_kinds(int* out) {
  __shared__ cuda::latch<cuda::thread_scope_block>* latch;
  __shared__ alignas(16) char raw[sizeof(cuda::latch<cuda::thread_scope_block>)];
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block>* mutex;
  __shared__ alignas(16) char raw2[sizeof(cuda::binary_semaphore<cuda::thread_scope_block>)];
  __shared__ int data[64], total;
  if (threadIdx.x == 0) {
    latch = new (raw) cuda::latch<cuda::thread_scope_block>(64);
    mutex = new (raw2) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    total = 0;
  }
  __syncthreads();
  data[threadIdx.x] = threadIdx.x;
  latch->arrive_and_wait();
  int v = data[63 - threadIdx.x];
  if (threadIdx.x % 8 == 0) {
    mutex->acquire();
    total += v;
    mutex->release();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
  int slot = g_count.fetch_add(1, cuda::memory_order_relaxed);
  if (slot == 127) out[2] = 1;
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(out[3]);
  ref.fetch_max(slot);
  cuda::atomic_ref<float, cuda::thread_scope_device> f(*(float*)(out + 4));
  f.fetch_add(0.5f);
}
int main() {
  int n = 8 * 128;
  int* h = new int[n];
  for (int i = 0; i < n; ++i)
    h[i] = i * 7 % 101;
  int *d, *o;
  cudaMalloc(&d, n * 4);
  cudaMalloc(&o, 4096);
  cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
  roles<3><<<1, 160>>>(d, o, 8);
  int r[128];
  cudaMemcpy(r, o, 512, cudaMemcpyDeviceToHost);
  bool ok = true;
  for (int t = 0; t < 128; ++t) {
    int s = 0;
    for (int i = 0; i < 8; ++i)
      s += h[i * 128 + t] * (i + 1) + h[i * 128 + 127 - t];
    ok &= s == r[t];
  }
  printf("roles %d %s\n", ok, cudaGetErrorString(cudaGetLastError()));
  float4 *a, *b;
  cudaMallocManaged(&a, 16 * 64 * 5);
  cudaMallocManaged(&b, 16 * 64 * 5);
  for (int i = 0; i < 320; ++i)
    a[i] = {float(i), i + .25f, i + .5f, i + .75f};
  unified<<<1, 64, 2 * 64 * 16>>>(a, b, 5);
  cudaDeviceSynchronize();
  ok = true;
  for (int i = 0; i < 320; ++i)
    ok &= b[i].x == (i ^ 1) && b[i].w == (i ^ 1) + .75f;
  printf("unified %d %s\n", ok, cudaGetErrorString(cudaGetLastError()));
  completion<<<1, 64>>>(o);
  cudaMemcpy(r, o, 20, cudaMemcpyDeviceToHost);
  printf("completion %d %d %d %d %d\n", r[0], r[1], r[2], r[3], r[4]);
  cudaMemset(o, 0, 64);
  sync_kinds<<<2, 64>>>(o);
  cudaMemcpy(r, o, 20, cudaMemcpyDeviceToHost);
  float f;
  memcpy(&f, r + 4, 4);
  printf("kinds %d %d %d %d %g %s\n", r[0], r[1], r[2], r[3], f, cudaGetErrorString(cudaGetLastError()));
}
