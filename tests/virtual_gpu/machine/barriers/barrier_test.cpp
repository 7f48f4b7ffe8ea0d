#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;

namespace {

const char* const kKernels = R"(extern "C" __global__ void rounds(int* out, int n) {
  __shared__ int ring[256];
  int i = threadIdx.x;
  ring[i] = i;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    int next = ring[(i + 1) % blockDim.x];
    __syncthreads();
    ring[i] = next;
    __syncthreads();
  }
  out[i] = ring[i];
}
extern "C" __global__ void early_exit(int* out, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void in_a_branch(int* out) {
  if (threadIdx.x < 40) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}
extern "C" __global__ void some_never_come(int* out) {
  if (threadIdx.x < 32) __syncthreads();
  else asm volatile("bar.sync 1, 128;");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void counted(int* out) {
  __shared__ int box;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) box = 41;
    __threadfence_block();
    asm volatile("bar.arrive 3, 64;" ::: "memory");
  } else if (threadIdx.x < 64) {
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[threadIdx.x - 32] = box + 1;
  }
}
extern "C" __global__ void reductions(int* out) {
  int i = threadIdx.x;
  int count = __syncthreads_count(i % 3 == 0), all = __syncthreads_and(i < 1000), any = __syncthreads_or(i == 77);
  int none = __syncthreads_or(i == 1000), not_all = __syncthreads_and(i != 5);
  out[i] = count + 1000 * all + 10000 * any + 100000 * none + 1000000 * not_all;
}
extern "C" __global__ void syncwarp_meets(int* out) {
  __shared__ int v[32];
  int lane = threadIdx.x;
  v[lane] = lane;
  if (lane < 16) { v[lane] = 100 + lane; __syncwarp(); } else { __syncwarp(); }
  out[lane] = v[31 - lane];
}
extern "C" __global__ void shuffle_in_branch(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
  else out[threadIdx.x] = __shfl_xor_sync(0xffff0000, threadIdx.x, 1) + __reduce_add_sync(0xffffffff, 1);
}
extern "C" __global__ void outside_mask(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffff, threadIdx.x, 0);
}
)";

Device& shared_device() {
  static Device d(compile_cuda(kKernels));
  return d;
}

// With the default configuration.
Device& device() {
  shared_device().config = LaunchConfig{};
  return shared_device();
}

uint64_t ints(size_t count) {
  return shared_device().upload(std::vector<int>(count, 0));
}

}  // namespace

TEST_CASE("__syncthreads in a loop keeps the warps of a block in step") {
  const uint64_t out = ints(256);
  REQUIRE_FALSE(device().launch("rounds", {1, 1, 1}, {200, 1, 1}, out, 50).fault);
  const auto values = device().download<int>(out, 200);
  for (int i = 0; i < 200; ++i)
    REQUIRE(values[i] == (i + 50) % 200);
}

TEST_CASE("a __syncthreads that threads skipped by returning names both places") {
  const auto outcome = device().launch("early_exit", {1, 1, 1}, {128, 1, 1}, ints(128), 100);
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::barrier);
  REQUIRE(outcome.fault->line == 16);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("28 of the block's 128 threads never reach") &&
                                           Catch::Contains("thread (100,0,0) has ended without it") &&
                                           Catch::Contains("kernel.cu:16"));
}

TEST_CASE("threads that have exited pass barriers when the launch says so") {
  Device& d = device();
  d.config.exited_threads_pass_barriers = true;
  const uint64_t out = ints(128);
  REQUIRE_FALSE(d.launch("early_exit", {1, 1, 1}, {128, 1, 1}, out, 100).fault);
  REQUIRE(d.download<int>(out, 128)[99] == 1);
}

TEST_CASE("a warp whose lanes wait at two different __syncthreads is reported with both lines") {
  const auto outcome = device().launch("in_a_branch", {1, 1, 1}, {64, 1, 1}, ints(64));
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::barrier);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("two different barriers") &&
                                           Catch::Contains("kernel.cu:21") &&
                                           Catch::Contains("kernel.cu:24"));
}

TEST_CASE("a deadlock at different barriers lists which warps wait where") {
  const auto outcome = device().launch("some_never_come", {1, 1, 1}, {64, 1, 1}, ints(64));
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::barrier);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("32 of the block's 64 threads have reached") &&
                                           Catch::Contains("thread (32,0,0) waits at a named barrier"));
}

TEST_CASE("bar.arrive lets the producer continue and the consumer wait") {
  const uint64_t out = ints(32);
  REQUIRE_FALSE(device().launch("counted", {1, 1, 1}, {96, 1, 1}, out).fault);
  for (const int value : device().download<int>(out, 32))
    REQUIRE(value == 42);
}

TEST_CASE("barriers reduce predicates over the block") {
  const uint64_t out = ints(100);
  REQUIRE_FALSE(device().launch("reductions", {1, 1, 1}, {100, 1, 1}, out).fault);
  for (const int value : device().download<int>(out, 100))
    REQUIRE(value == 34 + 1000 + 10000);
}

TEST_CASE("__syncwarp joins lanes that reach it in different places") {
  const uint64_t out = ints(32);
  REQUIRE_FALSE(device().launch("syncwarp_meets", {1, 1, 1}, {32, 1, 1}, out).fault);
  const auto values = device().download<int>(out, 32);
  for (int lane = 0; lane < 32; ++lane)
    REQUIRE(values[lane] == (lane > 15 ? 100 + 31 - lane : 31 - lane));
}

TEST_CASE("a shuffle whose mask names lanes that never come is reported with the mask") {
  const auto outcome = device().launch("shuffle_in_branch", {1, 1, 1}, {32, 1, 1}, ints(32));
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::barrier);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("__shfl_sync") && Catch::Contains("0xffffffff") &&
                                           Catch::Contains("16 of the lanes it names never come"));
}

TEST_CASE("a lane outside its own mask is reported") {
  const auto outcome = device().launch("outside_mask", {1, 1, 1}, {32, 1, 1}, ints(32));
  REQUIRE(outcome.fault);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("does not name lane 16"));
}
