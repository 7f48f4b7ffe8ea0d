// What the PTX parser must read: one construct after another. Compiled by compiled_test, never run.
#include <cooperative_groups.h>

#include <cassert>
#include <cstdio>
#if __has_include(<cub/block/block_reduce.cuh>)
#include <cub/block/block_reduce.cuh>
#else  // clang with our headers
namespace cub {
template <class T, int kBlock>
struct BlockReduce {
  struct TempStorage {
    T of_warps[kBlock / 32];
  };
  __device__ explicit BlockReduce(TempStorage& storage) : storage_(storage) {}
  __device__ T Sum(T value) {
    for (int distance = 16; distance > 0; distance /= 2)
      value += __shfl_down_sync(~0u, value, distance);
    if (threadIdx.x % 32 == 0) storage_.of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    for (int warp = 1; warp < kBlock / 32; ++warp)
      value += storage_.of_warps[warp];
    return value;
  }
  TempStorage& storage_;
};
}  // namespace cub
#endif

struct Node {
  int tag;
  const int* next;
  double weight;
  char name[5];
};
struct __attribute__((packed)) Packed {
  char tag;
  const int* next;
};

__device__ int numbers[7] = {1, 2, 3};
__constant__ float table[3][4] = {{1, 2}, {3, 4, 5, 6}, {7}};
__constant__ const int* pointers[3] = {numbers, numbers + 2, nullptr};
__device__ Node nodes[2] = {{1, numbers + 1, 2.5, "ab"}, {2, numbers + 3, -0.0, "cd"}};
__device__ Packed packed[2] = {{1, numbers + 1}, {2, numbers}};
__device__ const char* messages[] = {"hello", "wor\"ld{", "}"};
__managed__ int managed = 5;
extern __shared__ float4 dynamic_tile[];

__device__ __noinline__ int triple(int x) {
  return x * 3;
}
__device__ __noinline__ int recurse(int x) {
  return x < 2 ? 1 : triple(x) + recurse(x - 1);
}
__device__ int (*functions[2])(int) = {triple, recurse};

__device__ __forceinline__ float inlined_polynomial(float x) {
  return x * x - 2.0f;  // the inlined line
}

template <int kBlock, class T>
__global__ __launch_bounds__(kBlock, 2) void reduce_and_switch(T* out, int which, Node node) {
  __shared__ typename cub::BlockReduce<T, kBlock>::TempStorage storage;
  T sum = cub::BlockReduce<T, kBlock>(storage).Sum(out[threadIdx.x]);
  switch (which) {
    case 0:
      sum += 1;
      break;
    case 1:
      sum *= 2;
      break;
    case 2:
      sum -= node.weight;
      break;
    case 3:
      sum = functions[which & 1](which);
      break;
    case 4:
      sum += table[which % 3][1];
      break;
    case 5:
      sum += *pointers[which & 1] + packed[which & 1].tag + *nodes[which & 1].next;
      break;
    case 6:
      printf("%d %s %f\n", which, messages[which % 3], double(sum));
      break;
    default:
      asm volatile(
          "{ .reg .pred p, q; .reg .b32 t<3>; setp.ne.u32 p|q, %0, 0; @!p bra SKIP; mov.u32 t0, %%laneid; "
          "add.u32 t2, t0, 1; SKIP: }" ::"r"(which));
      asm volatile(
          "{ .reg .pred p; .reg .b32 t<3>; WAIT: setp.ne.u32 p, %0, 0; @!p bra WAIT; "
          "{ .reg .b32 t1; mov.b32 t1, 3; add.u32 t2, t0, t1; } }" ::"r"(which));
  }
  dynamic_tile[threadIdx.x].x = sum;
  __syncthreads();
  out[threadIdx.x] =
      inlined_polynomial(dynamic_tile[kBlock - 1 - threadIdx.x].x) + managed;  // the calling line
  cooperative_groups::this_grid().sync();
}
template __global__ void reduce_and_switch<128, float>(float*, int, Node);
template __global__ void reduce_and_switch<64, double>(double*, int, Node);

__global__ void __cluster_dims__(2, 1, 1) __maxnreg__(64)
    clusters_and_asserts(int* out, int (*function)(int)) {
  cooperative_groups::this_cluster().sync();
  alignas(16) char buffer[64];
  for (int i = 0; i < out[0]; ++i)
    buffer[i & 63] = static_cast<char>(i);
  out[4] = buffer[out[5] & 63] + function(3) + recurse(out[1]);
  assert(out[3]);
}
