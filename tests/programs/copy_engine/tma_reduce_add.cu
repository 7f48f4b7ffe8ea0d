// Split-K the short way: every block adds its partial tile to the result by TMA's reduce-add store, for
// floats, halves and integers; and a maximum.
#include <cuda_fp16.h>

#include <vector>

#include "tma.h"

constexpr int kWidth = 32, kHeight = 16;

template <class T>
__global__ void add_tiles(const __grid_constant__ CUtensorMap sum) {
  __shared__ __align__(128) T tile[kHeight * kWidth];
  for (int i = threadIdx.x; i < kHeight * kWidth; i += blockDim.x)
    tile[i] = static_cast<T>(static_cast<float>(i % 7 + static_cast<int>(blockIdx.z)));
  publish_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    add_2d(&sum, blockIdx.x * kWidth, blockIdx.y * kHeight, tile);
    close_group();
    wait_groups<0>();
  }
}

__global__ void maximum(int* most, int n) {
  __shared__ __align__(128) int values[256];
  values[threadIdx.x] = static_cast<int>((threadIdx.x * 37 + blockIdx.x * 101) % 1009) - 500;
  publish_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(most),
                 "r"(shared_address(values)), "r"(n * 4)
                 : "memory");
    close_group();
    wait_groups<0>();
  }
}

template <class T>
void sum_up(CUtensorMapDataType type, const char* name) {
  constexpr int kCols = 80, kRows = 40, kBlocks = 10;
  T* device = device_array<T>(kCols * kRows);
  check(cudaMemset(device, 0, kCols * kRows * sizeof(T)), "cudaMemset");
  const CUtensorMap map =
      tiled_map(type, sizeof(T), device, {kCols, kRows}, {kWidth, kHeight}, CU_TENSOR_MAP_SWIZZLE_NONE);
  add_tiles<T><<<dim3(3, 3, kBlocks), 64>>>(map);
  finish(name);
  std::vector<T> sums(kCols * kRows);
  to_host(sums.data(), device, sums.size());
  int wrong = 0;
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kCols; ++c) {
      const int i = r % kHeight * kWidth + c % kWidth;
      wrong += static_cast<float>(sums[r * kCols + c]) != static_cast<float>(kBlocks * (i % 7) + 45);
    }
  }
  printf("%s: %d of %d sums wrong\n", name, wrong, kCols * kRows);
}

int main() {
  sum_up<float>(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, "float");
  sum_up<__half>(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, "half");
  sum_up<int>(CU_TENSOR_MAP_DATA_TYPE_INT32, "int");
  int* most = device_array<int>(256);
  check(cudaMemset(most, 0x80, 256 * 4), "cudaMemset");
  maximum<<<20, 256>>>(most, 256);
  finish("maximum");
  std::vector<int> host(256);
  to_host(host.data(), most, 256);
  int wrong = 0;
  for (int t = 0; t < 256; ++t) {
    int wanted = -501;
    for (int b = 0; b < 20; ++b)
      wanted = std::max(wanted, (t * 37 + b * 101) % 1009 - 500);
    wrong += host[t] != wanted;
  }
  printf("max: %d wrong\n", wrong);
}
