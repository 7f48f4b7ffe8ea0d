// A cluster of four blocks shares what it loads: each fetches a quarter of the tile and TMA writes it into
// all four shared memories.
#include <vector>

#include "tma.h"

constexpr int kBlocks = 4, kWidth = 32, kHeight = 32;

__global__ void __cluster_dims__(kBlocks, 1, 1)
    sum_rows(const __grid_constant__ CUtensorMap map, int* sums, int tiles) {
  __shared__ __align__(128) int tile[kHeight * kWidth];
  __shared__ uint64_t arrived;
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
  }
  for (int t = 0; t < tiles; ++t) {
    // The barriers are there, and the tile before this one was used, in all blocks.
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (threadIdx.x == 0) {
      mbarrier_expect(&arrived, sizeof tile);
      const int quarter = kHeight / kBlocks;
      load_2d_to_blocks(tile + rank * quarter * kWidth, &map, t * kWidth,
                        static_cast<int>(blockIdx.x / kBlocks) * kHeight + static_cast<int>(rank) * quarter,
                        &arrived, (1 << kBlocks) - 1);
    }
    mbarrier_wait(&arrived, t % 2);
    // Every block sums all the rows of the tile, from another column on.
    int sum = 0;
    for (int x = 0; x < kWidth; ++x)
      sum += tile[threadIdx.x * kWidth + (x + 8 * rank) % kWidth] * (x + 1);
    atomicAdd(&sums[blockIdx.x * kHeight + threadIdx.x], sum);
    __syncthreads();
  }
  // No block leaves while another may still write to it.
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

int main() {
  constexpr int kTiles = 5, kClusters = 3, kCols = kTiles * kWidth, kRows = kClusters * kHeight;
  std::vector<int> in(kCols * kRows), out(kClusters * kBlocks * kHeight);
  for (int i = 0; i < kCols * kRows; ++i)
    in[i] = i * 7 % 1001;
  int *device_in = device_array<int>(in.size()), *device_out = device_array<int>(out.size());
  to_device(device_in, in.data(), in.size());
  check(cudaMemset(device_out, 0, out.size() * 4), "cudaMemset");
  const CUtensorMap map =
      tiled_map(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, device_in, {kCols, kRows}, {kWidth, kHeight / kBlocks});
  sum_rows<<<kClusters * kBlocks, kHeight>>>(map, device_out, kTiles);
  finish("sum_rows");
  to_host(out.data(), device_out, out.size());
  int wrong = 0;
  for (int b = 0; b < kClusters * kBlocks; ++b) {
    for (int row = 0; row < kHeight; ++row) {
      int wanted = 0;
      for (int t = 0; t < kTiles; ++t)
        for (int x = 0; x < kWidth; ++x)
          wanted +=
              in[(b / kBlocks * kHeight + row) * kCols + t * kWidth + (x + 8 * (b % kBlocks)) % kWidth] *
              (x + 1);
      wrong += out[b * kHeight + row] != wanted;
    }
  }
  printf("%d clusters of %d blocks, %d tiles: %d of %zu sums wrong\n", kClusters, kBlocks, kTiles, wrong,
         out.size());
}
