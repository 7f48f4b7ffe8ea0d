// cuda::barrier that counts bytes: bulk copies by cuda::memcpy_async, cuda::device::memcpy_async_tx with
// barrier_arrive_tx, and copies between the blocks of a cluster, in a double-buffered loop.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

#include "check.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kTile = 512, kTiles = 9;

__global__ void with_tx(const int* in, int* out) {
  __shared__ alignas(128) int stage[2][kTile];
  __shared__ Barrier bars[2];
  if (threadIdx.x == 0) {
    init(&bars[0], blockDim.x);
    init(&bars[1], blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token tokens[2];
  auto begin = [&](int t) {
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(stage[t % 2], in + t * kTile,
                                    cuda::aligned_size_t<16>(sizeof(int) * kTile), bars[t % 2]);
      tokens[t % 2] = cuda::device::barrier_arrive_tx(bars[t % 2], 1, sizeof(int) * kTile);
    } else {
      tokens[t % 2] = bars[t % 2].arrive();
    }
  };
  begin(0);
  for (int t = 0; t < kTiles; ++t) {
    if (t + 1 < kTiles) begin(t + 1);
    bars[t % 2].wait(std::move(tokens[t % 2]));
    for (int i = threadIdx.x; i < kTile; i += blockDim.x)
      out[t * kTile + i] = stage[t % 2][kTile - 1 - i] + t;
    __syncthreads();
  }
}

__global__ void with_memcpy_async(const int* in, int* out) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ Barrier bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int t = 0; t < kTiles; ++t) {
    cuda::memcpy_async(block, tile, in + t * kTile, cuda::aligned_size_t<16>(sizeof(int) * kTile), bar);
    bar.arrive_and_wait();
    for (int i = threadIdx.x; i < kTile; i += blockDim.x)
      out[t * kTile + i] = tile[kTile - 1 - i] + t;
    block.sync();
  }
}

// Each block sends its tile to the next block of its cluster.
__global__ void __cluster_dims__(4, 1, 1) to_the_next(const int* in, int* out) {
  __shared__ alignas(128) int mine[kTile], received[kTile];
  __shared__ alignas(8) uint64_t bar;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  for (int i = threadIdx.x; i < kTile; i += blockDim.x)
    mine[i] = in[blockIdx.x * kTile + i];
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof mine);
  }
  ptx::fence_proxy_async(ptx::space_shared);
  cluster.sync();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(received, next), mine,
                       sizeof mine, cluster.map_shared_rank(&bar, next));
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  for (int i = threadIdx.x; i < kTile; i += blockDim.x)
    out[blockIdx.x * kTile + i] = received[i];
  cluster.sync();
}

int wrong_tiles(const int* in, const int* out) {
  int wrong = 0;
  for (int i = 0; i < kTiles * kTile; ++i) {
    int t = i / kTile;
    wrong += out[i] != in[t * kTile + kTile - 1 - i % kTile] + t;
  }
  return wrong;
}

int main() {
  static int in[kTiles * kTile], out[kTiles * kTile];
  for (int i = 0; i < kTiles * kTile; ++i)
    in[i] = i * 17 % 4099;
  int *device_in = device_array<int>(kTiles * kTile), *device_out = device_array<int>(kTiles * kTile);
  to_device(device_in, in, kTiles * kTile);
  with_tx<<<1, 128>>>(device_in, device_out);
  finish("with_tx");
  to_host(out, device_out, kTiles * kTile);
  std::printf("memcpy_async_tx: %d wrong\n", wrong_tiles(in, out));

  with_memcpy_async<<<1, 96>>>(device_in, device_out);
  finish("with_memcpy_async");
  to_host(out, device_out, kTiles * kTile);
  std::printf("memcpy_async: %d wrong\n", wrong_tiles(in, out));

  to_the_next<<<8, 64>>>(device_in, device_out);
  finish("to_the_next");
  to_host(out, device_out, 8 * kTile);
  int wrong = 0;
  for (int i = 0; i < 8 * kTile; ++i) {
    int block = i / kTile, from = block / 4 * 4 + (block + 3) % 4;
    wrong += out[i] != in[from * kTile + i % kTile];
  }
  std::printf("to the next block: %d wrong\n", wrong);
}
