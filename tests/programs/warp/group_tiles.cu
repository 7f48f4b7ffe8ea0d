// Cooperative groups below the block: tiles of every size, partitions by label and by predicate, coalesced
// groups, scans and reductions in them, and atomics made once a group.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

template <int kSize>
__global__ void tile_sums(int* out) {
  auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  int value = threadIdx.x * 3 + 1;
  for (int offset = tile.size() / 2; offset > 0; offset /= 2)
    value += tile.shfl_xor(value, offset);
  int scanned = cg::inclusive_scan(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  out[threadIdx.x] = value * 1000 + scanned + tile.meta_group_rank() * 7 + tile.any(threadIdx.x % 5 == 0) +
                     static_cast<int>(__popc(tile.ballot(threadIdx.x % 3 == 0)));
}

__global__ void partitions(int* out, int* counter) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int label = threadIdx.x % 5;
  auto same = cg::labeled_partition(warp, label);
  int sum = cg::reduce(same, static_cast<int>(threadIdx.x), cg::plus<int>());
  auto halves = cg::binary_partition(warp, threadIdx.x % 2 == 1);
  int largest = cg::reduce(halves, static_cast<int>(threadIdx.x), cg::greater<int>());
  int from_first = same.shfl(static_cast<int>(threadIdx.x) * 2, 0);
  out[threadIdx.x] = sum + 10000 * largest + from_first + static_cast<int>(same.thread_rank()) * 100;
  if (threadIdx.x % 3 == 0) {  // one atomic for the threads that got here together
    auto active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, static_cast<int>(active.size()));
    base = active.shfl(base, 0);
    out[threadIdx.x] += (base >= 0) + static_cast<int>(active.size());
  }
}

// The classic: compact the elements that pass a test with one atomic a warp.
__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && in[i] % 7 == 0;
  if (!keep) return;
  unsigned active = __activemask();
  int leader = __ffs(active) - 1, lane = threadIdx.x % 32, base = 0;
  if (lane == leader) base = atomicAdd(count, __popc(active));
  base = __shfl_sync(active, base, leader);
  out[base + __popc(active & ((1u << lane) - 1))] = in[i];
}

template <int kSize>
int check_tile(const std::vector<int>& got) {
  int wrong = 0;
  for (int t = 0; t < 64; ++t) {
    int begin = t / kSize * kSize, sum = 0, scanned = 0, any = 0, ballot = 0;
    for (int i = begin; i < begin + kSize; ++i) {
      sum += i * 3 + 1;
      if (i <= t) scanned += i;
      any |= i % 5 == 0;
      ballot += i % 3 == 0;
    }
    wrong += got[t] != sum * 1000 + scanned + t / kSize * 7 + any + ballot;
  }
  return wrong;
}

int main() {
  int *out = device_array<int>(64), *counter = device_array<int>(1);
  std::vector<int> got(64);
  const auto run = [&]<int kSize>() {
    tile_sums<kSize><<<1, 64>>>(out);
    finish("tile");
    to_host(got.data(), out, 64);
    printf("tiles of %d: wrong %d\n", kSize, check_tile<kSize>(got));
  };
  run.operator()<2>();
  run.operator()<4>();
  run.operator()<8>();
  run.operator()<16>();
  run.operator()<32>();

  check(cudaMemset(counter, 0, sizeof(int)), "cudaMemset");
  partitions<<<1, 64>>>(out, counter);
  finish("partitions");
  to_host(got.data(), out, 64);
  int count = 0, wrong = 0;
  to_host(&count, counter, 1);
  for (int t = 0; t < 64; ++t) {
    int begin = t / 32 * 32, sum = 0, first = -1, rank = 0, active = 0;
    for (int i = begin; i < begin + 32; ++i) {
      active += i % 3 == 0;
      if (i % 5 != t % 5) continue;
      if (first < 0) first = i;
      sum += i;
      rank += i < t;
    }
    int largest = begin + 30 + t % 2;
    wrong += got[t] != sum + 10000 * largest + first * 2 + rank * 100 + (t % 3 == 0 ? 1 + active : 0);
  }
  printf("partitions: wrong %d, counted %d\n", wrong, count);

  constexpr int n = 5000;
  std::vector<int> in(n), kept, compacted(n);
  for (int i = 0; i < n; ++i) {
    in[i] = (i * 7919) % 10007;
    if (in[i] % 7 == 0) kept.push_back(in[i]);
  }
  int *din = device_array<int>(n), *dout = device_array<int>(n);
  to_device(din, in.data(), n);
  check(cudaMemset(counter, 0, sizeof(int)), "cudaMemset");
  compact<<<(n + 255) / 256, 256>>>(din, dout, counter, n);
  finish("compact");
  to_host(&count, counter, 1);
  to_host(compacted.data(), dout, n);
  compacted.resize(count);
  std::sort(compacted.begin(), compacted.end());
  std::sort(kept.begin(), kept.end());
  printf("compact: %d kept, equal %d\n", count, compacted == kept);
}
