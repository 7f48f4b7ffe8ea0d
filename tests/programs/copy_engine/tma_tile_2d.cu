// A matrix of bfloat16 transposed by TMA: tiles come with the 128-byte swizzle, also over the matrix's edges,
// and leave through another map that cuts them at the edges again.
#include <cuda_bf16.h>

#include <vector>

#include "tma.h"

constexpr int kTile = 64;  // 64 elements of 2 bytes are the swizzle's 128 bytes

// Where TMA puts element (x, y) of a tile with 128-byte rows: the row's 16-byte chunks change places.
__device__ int swizzled(int x, int y) {
  return y * kTile + (((x / 8) ^ (y % 8)) * 8 + x % 8);
}

__global__ void transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
  __shared__ __align__(1024) __nv_bfloat16 tile[kTile * kTile], turned[kTile * kTile];
  __shared__ uint64_t arrived;
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&arrived, sizeof tile);
    load_2d(tile, &in, x, y, &arrived);
  }
  mbarrier_wait(&arrived, 0);
  for (int i = threadIdx.x; i < kTile * kTile; i += blockDim.x)
    turned[swizzled(i / kTile, i % kTile)] = tile[swizzled(i % kTile, i / kTile)];
  publish_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    store_2d(&out, y, x, turned);
    close_group();
    wait_groups_read<0>();
  }
}

int main() {
  constexpr int kRows = 200, kCols = 328;
  std::vector<uint16_t> in(kRows * kCols), out(kRows * kCols);
  for (int i = 0; i < kRows * kCols; ++i)
    in[i] = static_cast<uint16_t>(i * 31 + 7);
  auto *device_in = device_array<uint16_t>(in.size()), *device_out = device_array<uint16_t>(out.size());
  to_device(device_in, in.data(), in.size());
  check(cudaMemset(device_out, 0xee, out.size() * 2), "cudaMemset");
  const auto map = [&](uint16_t* data, uint64_t cols, uint64_t rows) {
    return tiled_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, {cols, rows}, {kTile, kTile},
                     CU_TENSOR_MAP_SWIZZLE_128B);
  };
  const dim3 grid((kCols + kTile - 1) / kTile, (kRows + kTile - 1) / kTile);
  transpose<<<grid, 128>>>(map(device_in, kCols, kRows), map(device_out, kRows, kCols));
  finish("transpose");
  to_host(out.data(), device_out, out.size());
  int wrong = 0;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c)
      wrong += out[c * kRows + r] != in[r * kCols + c];
  printf("%d x %d transposed by tiles of %d: %d wrong\n", kRows, kCols, kTile, wrong);
}
