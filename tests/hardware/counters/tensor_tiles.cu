// Tiles of a tensor that the copy engine moves by its map: plain and swizzled, whole and beyond the edge, in
// and out.
#include <cstdint>

#include "../../programs/tma.h"

constexpr int kBlocks = 32, kThreads = 128;
constexpr int kColumns = 1024, kRows = 1024;  // of floats
constexpr int kTileColumns = 32, kTileRows = 64;
constexpr uint32_t kTileBytes = kTileColumns * kTileRows * 4;

// Each block one tile; `first_column` moves all of them, so that the last ones hang over the edge.
template <int swizzle_bytes>
__global__ void tile_in(const __grid_constant__ CUtensorMap map, int first_column, float* out) {
  __shared__ __align__(1024) float tile[kTileRows * kTileColumns];
  __shared__ uint64_t arrived;
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
    mbarrier_expect(&arrived, kTileBytes);
    load_2d(tile, &map, first_column + blockIdx.x * kTileColumns, 0, &arrived);
  }
  __syncthreads();
  mbarrier_wait(&arrived, 0);
  out[blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x];
}

// A row of the same tile in all blocks: the lines come from L2.
__global__ void tile_in_shared_by_all(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ __align__(1024) float tile[kTileRows * kTileColumns];
  __shared__ uint64_t arrived;
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
    mbarrier_expect(&arrived, kTileBytes);
    load_2d(tile, &map, 0, 0, &arrived);
  }
  __syncthreads();
  mbarrier_wait(&arrived, 0);
  out[blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x];
}

template <int is_addition>
__global__ void tile_out(const __grid_constant__ CUtensorMap map, int first_column) {
  __shared__ __align__(1024) float tile[kTileRows * kTileColumns];
  for (int i = threadIdx.x; i < kTileRows * kTileColumns; i += kThreads)
    tile[i] = 1.0f;
  publish_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    const int column = first_column + blockIdx.x * kTileColumns;
    if (is_addition)
      add_2d(&map, column, 0, tile);
    else
      store_2d(&map, column, 0, tile);
    close_group();
    wait_groups<0>();
  }
}

int main() {
  auto* in = device_array<float>(kColumns * kRows);
  auto* out = device_array<float>(kBlocks * kThreads);
  check(cudaMemset(in, 0, kColumns * kRows * sizeof(float)), "cudaMemset");
  const auto map_of = [&](CUtensorMapSwizzle swizzle) {
    return tiled_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, in, {kColumns, kRows}, {kTileColumns, kTileRows},
                     swizzle);
  };
  const CUtensorMap plain = map_of(CU_TENSOR_MAP_SWIZZLE_NONE), swizzled = map_of(CU_TENSOR_MAP_SWIZZLE_128B);
  tile_in<0><<<kBlocks, kThreads>>>(plain, 0, out);
  tile_in<128><<<kBlocks, kThreads>>>(swizzled, 0, out);
  tile_in<0><<<kBlocks, kThreads>>>(plain, 16, out);  // the last tile is half outside
  tile_in<0><<<kBlocks, kThreads>>>(plain, 4, out);   // 16 bytes off the sectors
  tile_in_shared_by_all<<<kBlocks, kThreads>>>(plain, out);
  tile_out<0><<<kBlocks, kThreads>>>(plain, 0);
  tile_out<0><<<kBlocks, kThreads>>>(plain, 16);
  tile_out<0><<<kBlocks, kThreads>>>(plain, 4);
  tile_out<1><<<kBlocks, kThreads>>>(plain, 0);
  finish("tensor_tiles");
}
