// Thread block clusters: who is where in them, their barrier, and each other's shared memory.
#include <numeric>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/ptx_kernel.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;
using ridge::machine::test::ptx_kernel;
using ridge::machine::test::ptx_module;

namespace {

const char* const kKernels = R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void where(uint4* out) {
  cg::cluster_group cluster = cg::this_cluster();
  dim3 in = cluster.block_index(), size = cluster.dim_blocks();
  unsigned cx, cy, cz, nx, ny, nz;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(cx));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(cy));
  asm("mov.u32 %0, %%clusterid.z;" : "=r"(cz));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ny));
  asm("mov.u32 %0, %%nclusterid.z;" : "=r"(nz));
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned is_explicit;
  asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is_explicit));
  out[3 * block] = make_uint4(in.x, in.y, in.z, cluster.block_rank());
  out[3 * block + 1] = make_uint4(size.x, size.y, size.z, cluster.num_blocks() + 1000 * is_explicit);
  out[3 * block + 2] = make_uint4(cx + 100 * nx, cy + 100 * ny, cz + 100 * nz, cluster.thread_rank());
}
extern "C" __global__ void ring(int* out, int rounds) {
  __shared__ int box[64];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), n = cluster.num_blocks();
  box[threadIdx.x] = 1000 * rank + threadIdx.x;
  cluster.sync();
  int* next = cluster.map_shared_rank(box, (rank + 1) % n);
  for (int k = 0; k < rounds; ++k) {
    int value = next[threadIdx.x];
    cluster.sync();
    box[threadIdx.x] = value;
    cluster.sync();
  }
  unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  out[block * blockDim.x + threadIdx.x] = box[threadIdx.x];
}
extern "C" __global__ void count_in_first(int* out) {
  __shared__ int counter;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) counter = 0;
  cluster.sync();
  int* first = cluster.map_shared_rank(&counter, 0);
  atomicAdd(first, (int)cluster.block_rank() + 1);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *first;
  cluster.sync();
}
extern "C" __global__ void split_barrier(int* out) {
  __shared__ int box;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) box = 7 * rank;
  auto token = cluster.barrier_arrive();
  int own = threadIdx.x;
  cluster.barrier_wait(std::move(token));
  own += *cluster.map_shared_rank(&box, rank ^ 1);
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = own;
}
extern "C" __global__ void some_leave(int* out) {
  __shared__ int box;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x >= 32) return;
  if (threadIdx.x == 0) box = cluster.block_rank() + 5;
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&box, cluster.block_rank() ^ 1);
  cluster.sync();
}
extern "C" __global__ void leaves_too_early(int* out) {
  __shared__ int box[4];
  cg::cluster_group cluster = cg::this_cluster();
  box[0] = cluster.block_rank();
  cluster.sync();
  if (cluster.block_rank() == 0) return;
  for (int i = 0; i < 300; ++i) __nanosleep(100);
  *out = *cluster.map_shared_rank(box, 0);
}
extern "C" __global__ void bad_rank(int* out) {
  __shared__ int box[4];
  cg::cluster_group cluster = cg::this_cluster();
  box[0] = 1;
  cluster.sync();
  *out = *cluster.map_shared_rank(box, cluster.num_blocks());
}
extern "C" __global__ void past_the_peer(int* out) {
  __shared__ int box[4];
  cg::cluster_group cluster = cg::this_cluster();
  box[0] = 1;
  cluster.sync();
  cluster.map_shared_rank(box, cluster.block_rank() ^ 1)[4 + threadIdx.x] = 0;
  cluster.sync();
}
extern "C" __global__ void one_block_never_comes(int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 1) {
    while (atomicAdd(out, 0) == 0) __nanosleep(100);
  }
  cluster.sync();
}
extern "C" __global__ void arrives_twice() {
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.arrive;" ::: "memory");
}
extern "C" __global__ void waits_only() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) compiled_for_two(int* out) {
  out[blockIdx.x] = cg::this_cluster().num_blocks();
}
extern "C" __global__ void grid_of_clusters(int* out, int rounds) {
  cg::grid_group grid = cg::this_grid();
  cg::cluster_group cluster = cg::this_cluster();
  for (int k = 0; k < rounds; ++k) {
    if (threadIdx.x == 0) out[(k + 1) * gridDim.x + blockIdx.x] = out[k * gridDim.x + (blockIdx.x + 1) % gridDim.x] + 1;
    grid.sync();
  }
}
)";

Device& shared_device() {
  static Device d(compile_cuda(kKernels));
  return d;
}

// With the default configuration.
Device& device() {
  Device& d = shared_device();
  d.config = LaunchConfig{};
  d.config.deadlock_after_s = 0.05;
  return d;
}

uint64_t ints(size_t count) {
  return shared_device().upload(std::vector<int>(count, 0));
}

struct Shape {
  Dim3 cluster, grid;
};

}  // namespace

TEST_CASE("every block knows its place in its cluster and its cluster's place in the grid") {
  const Shape shapes[] = {{{1, 1, 1}, {3, 2, 1}},  {{2, 1, 1}, {6, 1, 1}},   {{4, 1, 1}, {8, 2, 1}},
                          {{8, 1, 1}, {16, 1, 1}}, {{16, 1, 1}, {32, 1, 1}}, {{2, 2, 1}, {4, 6, 1}},
                          {{2, 4, 1}, {2, 8, 2}},  {{2, 2, 2}, {4, 2, 4}},   {{1, 1, 4}, {2, 3, 8}},
                          {{4, 4, 1}, {4, 12, 1}}};
  for (const Shape& s : shapes) {
    Device& d = device();
    d.config.cluster = s.cluster;
    const uint32_t blocks = s.grid.x * s.grid.y * s.grid.z;
    const uint64_t out = d.upload(std::vector<uint32_t>(size_t{blocks} * 12, 0));
    const auto outcome = d.launch("where", s.grid, {1, 1, 1}, out);
    if (outcome.fault) FAIL(outcome.fault->message);
    const auto words = d.download<uint32_t>(out, size_t{blocks} * 12);
    const Dim3& c = s.cluster;
    const uint32_t size = c.x * c.y * c.z;
    for (uint32_t z = 0, b = 0; z < s.grid.z; ++z) {
      for (uint32_t y = 0; y < s.grid.y; ++y) {
        for (uint32_t x = 0; x < s.grid.x; ++x, ++b) {
          const uint32_t rank = x % c.x + c.x * (y % c.y + c.y * (z % c.z));
          const std::vector<uint32_t> expected{x % c.x,
                                               y % c.y,
                                               z % c.z,
                                               rank,
                                               c.x,
                                               c.y,
                                               c.z,
                                               size + (size > 1 ? 1000 : 0),
                                               x / c.x + 100 * (s.grid.x / c.x),
                                               y / c.y + 100 * (s.grid.y / c.y),
                                               z / c.z + 100 * (s.grid.z / c.z),
                                               rank};
          REQUIRE(std::vector<uint32_t>(words.begin() + b * 12, words.begin() + b * 12 + 12) == expected);
        }
      }
    }
  }
}

TEST_CASE("blocks of a cluster read the next one's shared memory, in step, for any number of host threads") {
  for (const Dim3 cluster : {Dim3{1, 1, 1}, Dim3{2, 1, 1}, Dim3{4, 1, 1}, Dim3{8, 1, 1}, Dim3{16, 1, 1},
                             Dim3{2, 2, 1}, Dim3{4, 2, 1}}) {
    for (const unsigned threads : {1u, 3u}) {
      Device& d = device();
      d.config.cluster = cluster;
      d.config.host_threads = threads;
      const uint64_t out = ints(32 * 2 * 64);
      const auto outcome = d.launch("ring", {32, 2, 1}, {64, 1, 1}, out, 5);
      if (outcome.fault) FAIL(outcome.fault->message);
      const auto values = d.download<int>(out, 32 * 2 * 64);
      const uint32_t size = cluster.x * cluster.y;
      for (uint32_t b = 0; b < 64; ++b) {
        const uint32_t rank = b % 32 % cluster.x + cluster.x * (b / 32 % cluster.y);
        for (uint32_t t = 0; t < 64; ++t)
          REQUIRE(values[b * 64 + t] == static_cast<int>(1000 * ((rank + 5) % size) + t));
      }
    }
  }
}

TEST_CASE("atomics on another block's shared memory add up") {
  Device& d = device();
  d.config.cluster = {8, 1, 1};
  const uint64_t out = ints(16);
  REQUIRE_FALSE(d.launch("count_in_first", {16, 1, 1}, {70, 1, 1}, out).fault);
  for (const int value : d.download<int>(out, 16))
    REQUIRE(value == 70 * 36);
}

TEST_CASE("arrive and wait of a cluster barrier can be separate") {
  Device& d = device();
  d.config.cluster = {4, 1, 1};
  const uint64_t out = ints(8 * 96);
  REQUIRE_FALSE(d.launch("split_barrier", {8, 1, 1}, {96, 1, 1}, out).fault);
  const auto values = d.download<int>(out, 8 * 96);
  for (int i = 0; i < 8 * 96; ++i)
    REQUIRE(values[static_cast<size_t>(i)] == i % 96 + 7 * ((i / 96 % 4) ^ 1));
}

TEST_CASE("threads that have exited count as arrived at the cluster's barrier") {
  Device& d = device();
  d.config.cluster = {2, 1, 1};
  const uint64_t out = ints(4);
  const auto outcome = d.launch("some_leave", {4, 1, 1}, {128, 1, 1}, out);
  if (outcome.fault) FAIL(outcome.fault->message);
  REQUIRE(d.download<int>(out, 4) == std::vector<int>{6, 5, 6, 5});
}

TEST_CASE("misuse of clusters ends the launch with a message") {
  struct Case {
    const char* kernel;
    Dim3 grid, block;
    Fault::Kind kind;
    const char* says;
  };
  const Case cases[] = {
      {"leaves_too_early",
       {2, 1, 1},
       {1, 1, 1},
       Fault::Kind::out_of_bounds,
       "reads the shared memory of block (0,0,0) (rank 0 of its cluster), whose threads have all ended"},
      {"bad_rank",
       {2, 1, 1},
       {1, 1, 1},
       Fault::Kind::out_of_bounds,
       "the shared memory of the block with rank 2 in a cluster of 2"},
      {"past_the_peer",
       {2, 1, 1},
       {1, 1, 1},
       Fault::Kind::out_of_bounds,
       "at offset 16 of shared memory of the block with rank 0 in its cluster, of which the block has 16 bytes"},
      {"one_block_never_comes", {2, 1, 1}, {32, 1, 1}, Fault::Kind::deadlock, "waits at"},
  };
  for (const Case& c : cases) {
    INFO(c.kernel);
    Device& d = device();
    d.config.cluster = {2, 1, 1};
    const auto outcome = d.launch(c.kernel, c.grid, c.block, ints(64));
    REQUIRE(outcome.fault);
    INFO(outcome.fault->message);
    REQUIRE(outcome.fault->kind == c.kind);
    REQUIRE_THAT(outcome.fault->message, Catch::Contains(c.says));
  }
  const std::pair<const char*, const char*> unpaired[] = {
      {"arrives_twice", "second time without having waited"}, {"waits_only", "without having arrived"}};
  for (const auto& [kernel, says] : unpaired) {
    Device& d = device();
    d.config.cluster = {2, 1, 1};
    const auto outcome = d.launch(kernel, {2, 1, 1}, {32, 1, 1});
    REQUIRE(outcome.fault);
    REQUIRE_THAT(outcome.fault->message, Catch::Contains(says));
  }
}

TEST_CASE("launches with impossible clusters are refused with the numbers") {
  struct Case {
    const char* kernel;
    Dim3 grid, cluster;
    const char* says;
  };
  const Case cases[] = {
      {"ring", {6, 1, 1}, {4, 1, 1}, "(6,1,1) blocks cannot be divided into clusters of (4,1,1)"},
      {"ring", {32, 1, 1}, {32, 1, 1}, "has 32 blocks, and 1 to 16 are possible"},
  };
  for (const Case& c : cases) {
    Device& d = device();
    d.config.cluster = c.cluster;
    const auto outcome = d.launch(c.kernel, c.grid, {32, 1, 1}, ints(64), 1);
    REQUIRE(outcome.fault);
    REQUIRE(outcome.fault->kind == Fault::Kind::invalid_launch);
    REQUIRE_THAT(outcome.fault->message, Catch::Contains(c.says));
  }
  Device& d = device();
  d.config.cluster = {4, 1, 1};
  const auto outcome = d.launch("compiled_for_two", {8, 1, 1}, {1, 1, 1}, ints(64));
  REQUIRE(outcome.fault);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("compiled for (2,1,1) (__cluster_dims__)"));
}

TEST_CASE("__cluster_dims__ makes clusters without the launch naming them") {
  Device& d = device();
  const uint64_t out = ints(4);
  REQUIRE_FALSE(d.launch("compiled_for_two", {4, 1, 1}, {1, 1, 1}, out).fault);
  REQUIRE(d.download<int>(out, 4) == std::vector<int>{2, 2, 2, 2});
}

TEST_CASE("a cooperative grid of clusters synchronises as a whole") {
  Device& d = device();
  d.config.cluster = {4, 1, 1};
  d.config.cooperative = true;
  d.config.grid_workspace = d.upload(std::vector<int>(64, 0));
  const uint64_t out = ints(16 * 9);
  const auto outcome = d.launch("grid_of_clusters", {16, 1, 1}, {64, 1, 1}, out, 8);
  if (outcome.fault) FAIL(outcome.fault->message);
  const auto values = d.download<int>(out, 16 * 9);
  for (size_t i = 0; i < 16; ++i)
    REQUIRE(values[8 * 16 + i] == 8);
}
