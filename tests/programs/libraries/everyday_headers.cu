// Headers and functions beyond cuda_runtime.h that everyday programs use: parts of it by name, constants, NVTX,
// types of driver functions, libcu++ views, atomics of vectors, tensor copies and mathematical functions of the
// host.
#include <device_launch_parameters.h>
#include <library_types.h>
#include <math_constants.h>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/std/span>
#include <cuda_fp8.h>
#include <nvtx3/nvToolsExt.h>

#include "check.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

inline __host__ __device__ float length_inverse(float2 v) {
  return rsqrtf(v.x * v.x + v.y * v.y);
}

__global__ void add_vectors(float2* two, float4* four, float* inverse) {
  atomicAdd(two, make_float2(1, 0.5f));
  atomicAdd(four, make_float4(1, 2, 3, 4));
  if (threadIdx.x == 0) *inverse = length_inverse(make_float2(3, 4));
}

__global__ void special(double* out) {
  const double x = 0.25 * (threadIdx.x + 1);
  out[threadIdx.x] = erfinv(x / 9) + erfcinv(x / 5) + erfcx(x) + normcdfinv(x / 9) + j0(x) + y1(x) + cyl_bessel_i0(x) +
                     rint(x) + (x < CUDART_PI ? CUDART_SQRT_TWO_F : 0);
}

__global__ void add_ranks(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(128) int box[8][8];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&box, &map, x, y, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof box);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  box[threadIdx.x / 8][threadIdx.x % 8] += threadIdx.x;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &box);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

__global__ void sum_of(cuda::std::span<const int> values, int* sum) {
  *sum = 0;
  for (int value : values) *sum += value;
  __nv_fp8x4_e4m3 narrow(make_float4(1, 2, 3, 4.1f));
  const float4 wide = static_cast<float4>(narrow);
  *sum += static_cast<int>(wide.x + wide.y + wide.z + wide.w);
}

int main() {
  nvtxRangePushA("everything");
  auto* floats = device_array<float>(8);
  check(cudaMemset(floats, 0, 32), "memset");
  add_vectors<<<cuda::ceil_div(100, 64), 64>>>(reinterpret_cast<float2*>(floats), reinterpret_cast<float4*>(floats + 4),
                                               floats + 2);
  finish("add_vectors");
  float sums[8];
  to_host(sums, floats, 8);
  printf("%g %g, %g, %g %g\n", sums[0], sums[1], sums[2], sums[4], sums[7]);
  printf("on the host %g, %g, %d\n", length_inverse(make_float2(6, 8)), sinpi(0.5), CUDA_R_16BF);

  auto* doubles = device_array<double>(16);
  special<<<1, 16>>>(doubles);
  finish("special");
  double values[16];
  to_host(values, doubles, 16);
  printf("%.10g %.10g\n", values[0], values[15]);

  constexpr int kSide = 32;
  auto* tensor = device_array<int>(kSide * kSide);
  check(cudaMemset(tensor, 0, kSide * kSide * sizeof(int)), "memset");
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status), "entry");
  const auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
  CUtensorMap map{};
  const cuuint64_t sizes[2] = {kSide, kSide}, strides[1] = {kSide * sizeof(int)};
  const cuuint32_t box[2] = {8, 8}, steps[2] = {1, 1};
  printf("encoded: %d\n",
         encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, sizes, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  add_ranks<<<1, 64>>>(map, 8, 16);
  finish("add_ranks");
  int* sum = device_array<int>(1);
  sum_of<<<1, 1>>>(cuda::std::span<const int>(tensor, kSide * kSide), sum);
  int total = 0;
  to_host(&total, sum, 1);
  printf("sum %d\n", total);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaGraphCreate(&graph, 0), "graph");
  check(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0), "instantiate");
  nvtxRangePop();
}
