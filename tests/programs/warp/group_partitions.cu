// Cooperative groups beyond tiles of a warp: large tiles, partitions by label, scans, invoke_one, and
// memcpy_async with wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void large_tiles(int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  int sum = cg::reduce(tile, static_cast<int>(block.thread_rank()), cg::plus<int>());
  int before = cg::exclusive_scan(tile, static_cast<int>(tile.thread_rank()), cg::plus<int>());
  int most = tile.shfl(static_cast<int>(block.thread_rank()) * 3, 63);
  tile.sync();
  out[block.thread_rank()] =
      sum + 100000 * (tile.any(block.thread_rank() == 70) ? 1 : 0) + before * 1000 % 7919 + most;
}

__global__ void partitions(int* out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int lane = warp.thread_rank();
  auto by_label = cg::labeled_partition(warp, lane % 5);
  int sum = cg::reduce(by_label, lane, cg::plus<int>());
  auto halves = cg::binary_partition(warp, lane % 3 == 0);
  int rank = halves.thread_rank() + 100 * halves.size();
  int scanned = cg::inclusive_scan(warp, lane + 1);
  int largest = cg::reduce(halves, lane * 7 % 32, cg::greater<int>());
  out[threadIdx.x] = sum + 1000 * rank + scanned;
  out[64 + threadIdx.x] = largest + 100 * by_label.meta_group_size() + by_label.meta_group_rank();
}

__global__ void copies(const int* in, int* out, int n) {
  extern __shared__ int tile[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, n, in, n);
  cg::memcpy_async(block, tile + n, in + n, sizeof(int) * n);
  cg::wait_prior<1>(block);
  int a = tile[(threadIdx.x * 7) % n];
  cg::wait(block);
  int b = tile[n + (threadIdx.x * 11) % n];
  cg::invoke_one(block, [&] { out[block.size()] = 77; });
  out[threadIdx.x] = a * 1000 + b;
}

int main() {
  int* device_out = device_array<int>(512);
  int out[512];
  large_tiles<<<1, 256>>>(device_out);
  finish("large_tiles");
  to_host(out, device_out, 256);
  int wrong = 0;
  for (int i = 0; i < 256; ++i) {
    int tile = i / 64, rank = i % 64, sum = 0;
    for (int k = 0; k < 64; ++k)
      sum += tile * 64 + k;
    int before = rank * (rank - 1) / 2;
    wrong += out[i] != sum + (tile == 1 ? 100000 : 0) + before * 1000 % 7919 + (tile * 64 + 63) * 3;
  }
  std::printf("large tiles: %d wrong\n", wrong);

  partitions<<<1, 64>>>(device_out);
  finish("partitions");
  to_host(out, device_out, 128);
  wrong = 0;
  for (int i = 0; i < 64; ++i) {
    int lane = i % 32, sum = 0, rank = 0, size = 0, largest = 0;
    for (int k = 0; k < 32; ++k) {
      if (k % 5 == lane % 5) sum += k;
      if ((k % 3 == 0) != (lane % 3 == 0)) continue;
      ++size;
      rank += k < lane;
      if (k * 7 % 32 > largest) largest = k * 7 % 32;
    }
    wrong += out[i] != sum + 1000 * (rank + 100 * size) + (lane + 1) * (lane + 2) / 2;
    wrong += out[64 + i] / 100 != 5 || out[64 + i] % 100 - largest < 0;
  }
  std::printf("partitions: %d wrong\n", wrong);

  int in[256];
  for (int i = 0; i < 256; ++i)
    in[i] = i * 5 % 257;
  int* device_in = device_array<int>(256);
  to_device(device_in, in, 256);
  copies<<<1, 128, 2 * 100 * sizeof(int)>>>(device_in, device_out, 100);
  finish("copies");
  to_host(out, device_out, 129);
  wrong = out[128] != 77;
  for (int i = 0; i < 128; ++i)
    wrong += out[i] != in[i * 7 % 100] * 1000 + in[100 + i * 11 % 100];
  std::printf("copies: %d wrong\n", wrong);
}
