// Whatever would come to an end on a GPU comes to an end here, and what would hang is said to.
#include <numeric>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using ridge::machine::test::compile_cuda;
using ridge::machine::test::Device;

namespace {

const char* const kKernels = R"(
__device__ int lock_word;
extern "C" __global__ void lock_per_lane(int* total) {
  while (atomicCAS(&lock_word, 0, 1) != 0) {}
  int seen = *(volatile int*)total;
  *(volatile int*)total = seen + 1;
  __threadfence();
  atomicExch(&lock_word, 0);
}
extern "C" __global__ void lock_with_done(int* total) {
  bool done = false;
  while (!done) {
    if (atomicExch(&lock_word, 1) == 0) {
      *(volatile int*)total = *(volatile int*)total + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      done = true;
    }
  }
}
extern "C" __global__ void lanes_hand_over(volatile int* flags, int* out) {
  int lane = threadIdx.x;
  if (lane > 0) while (flags[lane - 1] == 0) {}
  out[lane] = lane == 0 ? 1 : out[lane - 1] + 1;
  __threadfence();
  flags[lane] = 1;
}
extern "C" __global__ void last_block_first(volatile int* flags, int* out) {
  int next = blockIdx.x + 1;
  if (next < gridDim.x) while (flags[next] == 0) __nanosleep(100);
  if (threadIdx.x == 0) {
    out[blockIdx.x] = next < gridDim.x ? ((volatile int*)out)[next] + 1 : 1;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}
extern "C" __global__ void grid_barrier(unsigned* arrived, int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  in[i] = i * 3;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*(volatile unsigned*)arrived < gridDim.x) {}
  }
  __syncthreads();
  out[i] = ((volatile int*)in)[n - 1 - i];
}
extern "C" __global__ void work_from_a_counter(int* next, int* taken, int all) {
  __shared__ int mine;
  for (;;) {
    if (threadIdx.x == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    if (mine >= all) break;
    if (threadIdx.x == 0) ++taken[blockIdx.x];
    __syncthreads();
  }
}
extern "C" __global__ void work_by_warps(int* next, int* taken, int all) {
  for (;;) {
    int mine = 0;
    if (threadIdx.x % 32 == 0) mine = atomicAdd(next, 1);
    if (__shfl_sync(~0u, mine, 0) >= all) break;
    if (threadIdx.x % 32 == 0) ++taken[blockIdx.x * blockDim.x / 32 + threadIdx.x / 32];
  }
}
extern "C" __global__ void waits_for_nobody(volatile int* flag) {
  while (*flag == 0) {}
}
extern "C" __global__ void never_ends(int* out, int n) {
  int x = n;
  do { x = x * 1664525 + 1013904223; out[1] = x; } while (out[0] == 0);
}
extern "C" __global__ void warps_hand_over(int* out) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  int warp = threadIdx.x / 32;
  while (turn != warp) {}
  if (threadIdx.x % 32 == 0) { out[warp] = warp == 0 ? 1 : 2 * out[warp - 1]; turn = warp + 1; }
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

// Single-steps every warp.
class Stepper : public Observer {
 public:
  void attach(MachineView& view) override { view_ = &view; }
  void block_begin(uint64_t) override { view_->step_block(); }

 private:
  MachineView* view_ = nullptr;
};
class Steppers : public ObserverFactory {
 public:
  std::unique_ptr<Observer> make(const Program&) override { return std::make_unique<Stepper>(); }
  void collect(std::unique_ptr<Observer>) override {}
};

uint64_t ints(size_t count) {
  return shared_device().upload(std::vector<int>(count, 0));
}

}  // namespace

TEST_CASE("a contended spin lock is passed on between lanes, warps and blocks") {
  for (const char* kernel : {"lock_per_lane", "lock_with_done"}) {
    for (const unsigned threads : {1u, 2u, 4u}) {
      Device& d = device();
      const uint64_t total = ints(1);
      d.config.host_threads = threads;
      const auto outcome = d.launch(kernel, {5, 1, 1}, {96, 1, 1}, total);
      INFO(kernel << " on " << threads << " host threads: " << (outcome.fault ? outcome.fault->message : ""));
      REQUIRE_FALSE(outcome.fault);
      REQUIRE(d.download<int>(total, 1)[0] == 480);
    }
  }
}

TEST_CASE("each lane of a warp can wait for the one before it") {
  const uint64_t flags = ints(32), out = ints(32);
  const auto outcome = device().launch("lanes_hand_over", {1, 1, 1}, {32, 1, 1}, flags, out);
  REQUIRE_FALSE(outcome.fault);
  REQUIRE(device().download<int>(out, 32)[31] == 32);
}

TEST_CASE("each warp of a block can wait for the one before it") {
  const uint64_t out = ints(8);
  REQUIRE_FALSE(device().launch("warps_hand_over", {1, 1, 1}, {256, 1, 1}, out).fault);
  REQUIRE(device().download<int>(out, 8)[7] == 128);
}

TEST_CASE("a block may wait for one that begins after it") {
  for (const unsigned threads : {1u, 2u}) {
    Device& d = device();
    const uint64_t flags = ints(40), out = ints(40);
    d.config.host_threads = threads;
    REQUIRE_FALSE(d.launch("last_block_first", {40, 1, 1}, {64, 1, 1}, flags, out).fault);
    REQUIRE(d.download<int>(out, 40)[0] == 40);
  }
}

TEST_CASE("blocks that meet at a barrier of their own all arrive, cooperative or not") {
  for (const bool cooperative : {false, true}) {
    for (const unsigned threads : {1u, 2u, 3u}) {
      Device& d = device();
      const uint64_t arrived = ints(1), in = ints(32 * 64), out = ints(32 * 64);
      d.config.host_threads = threads;
      d.config.cooperative = cooperative;
      const auto outcome = d.launch("grid_barrier", {32, 1, 1}, {64, 1, 1}, arrived, in, out);
      INFO((outcome.fault ? outcome.fault->message : ""));
      REQUIRE_FALSE(outcome.fault);
      const auto values = d.download<int>(out, 32 * 64);
      for (int i = 0; i < 32 * 64; ++i)
        REQUIRE(values[i] == (32 * 64 - 1 - i) * 3);
    }
  }
}

TEST_CASE("blocks and warps that take work from a counter each take about as much") {
  constexpr int kAll = 1000, kBlocks = 20, kWarpsPerBlock = 4;
  for (const bool by_warps : {false, true}) {
    Device& d = device();
    const size_t takers = by_warps ? kBlocks * kWarpsPerBlock : kBlocks;
    const uint64_t next = ints(1), taken = ints(takers);
    // One host thread: two would share as the host's scheduler has it.
    d.config.host_threads = 1;
    REQUIRE_FALSE(d.launch(by_warps ? "work_by_warps" : "work_from_a_counter", {kBlocks, 1, 1},
                           {kWarpsPerBlock * 32, 1, 1}, next, taken, kAll)
                      .fault);
    const std::vector<int> shares = d.download<int>(taken, takers);
    int sum = 0;
    for (const int share : shares) {
      INFO("by " << (by_warps ? "warps" : "blocks"));
      CHECK(share >= kAll / static_cast<int>(takers) - 2);
      CHECK(share <= kAll / static_cast<int>(takers) + 2);
      sum += share;
    }
    CHECK(sum == kAll);
  }
}

TEST_CASE("a slice that ends between atomics executes each of them once, also in single-stepped warps") {
  constexpr int kAll = 100, kBlocks = 5;
  for (const uint64_t order : {0, 3}) {
    Device& d = device();
    const uint64_t next = ints(1), taken = ints(kBlocks);
    d.config.host_threads = 1;
    d.config.order_seed = order;
    d.config.time_limit_s = 20;  // without the counter's additions the kernel does not end
    Steppers steppers;
    d.observers = &steppers;
    const auto outcome = d.launch("work_from_a_counter", {kBlocks, 1, 1}, {64, 1, 1}, next, taken, kAll);
    d.observers = nullptr;
    REQUIRE_FALSE(outcome.fault);
    INFO("order " << order);
    CHECK(d.download<int>(next, 1)[0] == kAll + kBlocks);
    const std::vector<int> shares = d.download<int>(taken, kBlocks);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0) == kAll);
  }
}

TEST_CASE("threads that poll for what nobody sets are a deadlock, with the place") {
  Device& d = device();
  d.config.deadlock_after_s = 0.2;
  d.config.host_threads = 2;
  const auto outcome = d.launch("waits_for_nobody", {3, 1, 1}, {32, 1, 1}, ints(1));
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::deadlock);
  REQUIRE(outcome.fault->line == 68);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("Deadlock") && Catch::Contains("kernel.cu:68") &&
                                           Catch::Contains("goes round at"));
}

TEST_CASE("a kernel that never ends is stopped at the time limit") {
  Device& d = device();
  d.config.time_limit_s = 0.2;
  const auto outcome = d.launch("never_ends", {2, 1, 1}, {32, 1, 1}, ints(2), 3);
  REQUIRE(outcome.fault);
  REQUIRE(outcome.fault->kind == Fault::Kind::time_limit);
  REQUIRE_THAT(outcome.fault->message,
               Catch::Contains("Time limit: the kernel has run for 0.2 s") && Catch::Contains("kernel.cu"));
  CHECK(outcome.fault->cause.id == "endless");
}

TEST_CASE("a launch can be stopped from outside") {
  Device& d = device();
  const std::atomic<bool> stop{true};
  d.config.stop = &stop;
  const auto outcome = d.launch("never_ends", {2, 1, 1}, {32, 1, 1}, ints(2), 3);
  REQUIRE(outcome.fault);
  REQUIRE_THAT(outcome.fault->message, Catch::Contains("Stopped"));
}
