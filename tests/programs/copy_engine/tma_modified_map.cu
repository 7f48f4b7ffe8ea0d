// Grouped work: one tensor map for arrays whose places and sizes only the device knows. Each block changes a
// copy of the map in shared memory, publishes it in global memory and loads through it.
#include <vector>

#include "tma.h"

constexpr int kWidth = 32, kHeight = 8;

struct Group {
  float* data;
  int cols, rows;
};

__global__ void sum_groups(const __grid_constant__ CUtensorMap pattern, const Group* groups,
                           CUtensorMap* maps, float* sums) {
  __shared__ __align__(128) CUtensorMap changed;
  __shared__ __align__(128) float tile[kHeight * kWidth];
  __shared__ uint64_t arrived;
  const Group group = groups[blockIdx.x];
  CUtensorMap* const mine = maps + blockIdx.x;
  const uint32_t here = shared_address(&changed);
  if (threadIdx.x == 0) {
    mbarrier_init(&arrived, 1);
    mbarrier_publish();
    changed = pattern;
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(here),
                 "l"(group.data)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(here),
                 "r"(group.cols)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(here),
                 "r"(group.rows)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(here),
                 "l"(static_cast<uint64_t>(group.cols) * sizeof(float))
                 : "memory");
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], "
      "128;" ::"l"(mine),
      "r"(here)
      : "memory");
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(mine) : "memory");
  float sum = 0;
  uint32_t parity = 0;
  for (int y = 0; y < group.rows; y += kHeight) {
    for (int x = 0; x < group.cols; x += kWidth) {
      if (threadIdx.x == 0) {
        mbarrier_expect(&arrived, sizeof tile);
        load_2d(tile, mine, x, y, &arrived);
      }
      mbarrier_wait(&arrived, parity);
      parity ^= 1;
      for (int row = 0; row < kHeight; ++row)
        sum += tile[row * kWidth + threadIdx.x];
      __syncwarp();
    }
  }
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main() {
  constexpr int kGroups = 5;
  const int cols[kGroups] = {32, 64, 100, 4, 40}, rows[kGroups] = {8, 20, 3, 50, 17};
  std::vector<Group> groups;
  std::vector<float> wanted;
  for (int g = 0; g < kGroups; ++g) {
    std::vector<float> values(cols[g] * rows[g]);
    float sum = 0;
    for (size_t i = 0; i < values.size(); ++i)
      sum += values[i] = static_cast<float>(i * 3 % 13 + g);
    groups.push_back({device_array<float>(values.size()), cols[g], rows[g]});
    to_device(groups.back().data, values.data(), values.size());
    wanted.push_back(sum);
  }
  Group* device_groups = device_array<Group>(kGroups);
  to_device(device_groups, groups.data(), kGroups);
  CUtensorMap* maps = device_array<CUtensorMap>(kGroups);
  float* sums = device_array<float>(kGroups);
  const CUtensorMap pattern =
      tiled_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, groups[0].data, {kWidth, kHeight}, {kWidth, kHeight});
  sum_groups<<<kGroups, 32>>>(pattern, device_groups, maps, sums);
  finish("sum_groups");
  std::vector<float> out(kGroups);
  to_host(out.data(), sums, kGroups);
  for (int g = 0; g < kGroups; ++g)
    printf("group %d: %.0f expected %.0f\n", g, out[g], wanted[g]);
}
