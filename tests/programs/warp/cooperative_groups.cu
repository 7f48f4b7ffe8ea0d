// Cooperative groups: block, tiles of several sizes, coalesced threads, and a grid that synchronises as a
// whole.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void tiles(int* out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ int values[128];
  values[block.thread_rank()] = static_cast<int>(block.thread_rank());
  block.sync();
  auto tile32 = cg::tiled_partition<32>(block);
  auto tile8 = cg::tiled_partition<8>(tile32);
  int mirrored = values[block.size() - 1 - block.thread_rank()];
  int sum32 = cg::reduce(tile32, mirrored, cg::plus<int>());
  int sum8 = 0;
  for (int i = tile8.size() / 2; i > 0; i /= 2) {
    mirrored += tile8.shfl_down(mirrored, i);
  }
  sum8 = tile8.shfl(mirrored, 0);
  if (tile8.thread_rank() == 0) out[block.thread_rank() / 8] = sum8;
  if (tile32.thread_rank() == 0) out[16 + tile32.meta_group_rank()] = sum32;
  if (block.thread_rank() % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0 && block.thread_rank() < 32) out[20] = static_cast<int>(active.size());
  }
}

// Every block writes, all meet, every block reads what another one wrote.
__global__ void exchange(int* data, int* out) {
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) data[blockIdx.x] = static_cast<int>(blockIdx.x * 10);
  grid.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = data[(blockIdx.x + 5) % gridDim.x] + static_cast<int>(grid.is_valid());
}

int main() {
  int* out = device_array<int>(32);
  tiles<<<1, 128>>>(out);
  finish("tiles");
  int host[32];
  to_host(host, out, 21);
  for (int i = 0; i < 21; ++i)
    printf("%d%c", host[i], i == 15 || i == 20 ? '\n' : ' ');

  int* data = device_array<int>(32);
  void* arguments[] = {&data, &out};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(exchange), dim3(24), dim3(64), arguments, 0,
                                    nullptr),
        "launch");
  finish("exchange");
  to_host(host, out, 24);
  for (int i = 0; i < 24; ++i)
    printf("%d%c", host[i], i == 23 ? '\n' : ' ');
  cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<void*>(exchange), dim3(1 << 20), dim3(64),
                                                  arguments, 0, nullptr);
  printf("%s\n", cudaGetErrorName(error));
}
