// Blocks in a drawn order (LaunchConfig::order_seed).
#include <algorithm>
#include <numeric>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"

using namespace ridge::machine;
using namespace ridge::machine::test;

namespace {

const char* const kKernels = R"(
extern "C" __global__ void order_of_beginning(unsigned* next, int* out) {
  if (threadIdx.x == 0) out[atomicAdd(next, 1u)] = blockIdx.x;
}
extern "C" __global__ void waits_for_the_block_before(volatile int* done) {
  if (blockIdx.x > 0) while (done[blockIdx.x - 1] == 0) {}
  done[blockIdx.x] = 1;
}
)";

constexpr uint32_t kBlocks = 97;

Device& device(uint64_t seed) {
  static Device d(compile_cuda(kKernels));
  d.config = LaunchConfig{};
  d.config.host_threads = 1;
  d.config.order_seed = seed;
  return d;
}

std::vector<int> order_of(uint64_t seed) {
  Device& d = device(seed);
  const uint64_t next = d.upload(std::vector<int>(1)), out = d.upload(std::vector<int>(kBlocks));
  REQUIRE_FALSE(d.launch("order_of_beginning", {kBlocks}, {32}, next, out).fault);
  return d.download<int>(out, kBlocks);
}

bool ends(uint64_t seed, uint32_t blocks) {
  Device& d = device(seed);
  d.config.multiprocessors = 1;
  d.config.deadlock_after_s = 0.1;
  const uint64_t done = d.upload(std::vector<int>(blocks));
  return !d.launch("waits_for_the_block_before", {blocks}, {1024}, done).fault;
}

}  // namespace

TEST_CASE("Without a seed blocks begin as they are numbered, with one each begins once") {
  std::vector<int> numbered(kBlocks);
  std::iota(numbered.begin(), numbered.end(), 0);
  CHECK(order_of(0) == numbered);
  for (const uint64_t seed : {1u, 2u, 1000u, 4000000000u}) {
    std::vector<int> drawn = order_of(seed);
    CHECK((seed == 1 || drawn != numbered));
    std::sort(drawn.begin(), drawn.end());
    CHECK(drawn == numbered);
  }
}

TEST_CASE("A block that waits for a lower number waits in vain if it holds the place of that one") {
  CHECK(ends(0, 64));
  CHECK_FALSE(ends(12345, 64));
  CHECK(ends(12345, 2));  // two blocks of 1024 threads are resident together
}
