// The closed formulas equal the general functions, which access_test.cpp proves equal to the definitions.
#include "warp_model/strided_access.h"

#include <random>

#include "tests/catch.h"
#include "tests/warp_model/plain_access.h"

using namespace ridge::warp_model;

namespace {

const uint32_t kMasks[] = {kFullMask,  0x1,        0x80000000, 0x0000ffff, 0xffff0000, 0x000fffe0,
                           0x55555555, 0x11111111, 0x80808080, 0xf0f0f0f0, 0x6,        0x12345678};

// One comparison a stride, folded into one assertion a base: Catch's own cost would dominate otherwise.
template <typename Compare>
void over_the_sweep(Compare compare) {
  const uint32_t sizes[] = {1, 2, 4, 8, 16, 32};
  for (uint32_t bytes : sizes) {
    for (uint64_t base = 0x10000; base < 0x10000 + 136; ++base) {
      for (int64_t stride = -150; stride <= 300; ++stride) {
        const plain::Addresses addresses = plain::strided(base, stride);
        const uint32_t mask = kMasks[(base * 7 + static_cast<uint64_t>(stride + 150)) % std::size(kMasks)];
        if (!compare(addresses, base, stride, bytes, mask) ||
            !compare(addresses, base, stride, bytes, kFullMask)) {
          CAPTURE(bytes, base, stride, mask);
          FAIL("the closed formula differs from the general function");
        }
      }
    }
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("a strided global access costs what the general function says, for every base, stride and size") {
  over_the_sweep(
      [](const plain::Addresses& addresses, uint64_t base, int64_t stride, uint32_t bytes, uint32_t mask) {
        return global_cost_strided(base, stride, bytes, mask) == global_cost(addresses.data(), mask, bytes);
      });
}

TEST_CASE("a strided shared access costs what the general function says, for every base, stride and size") {
  over_the_sweep(
      [](const plain::Addresses& addresses, uint64_t base, int64_t stride, uint32_t bytes, uint32_t mask) {
        return shared_cost_strided(base, stride, bytes, mask) == shared_cost(addresses.data(), mask, bytes);
      });
}

TEST_CASE("large strides and odd sizes agree with the definitions too") {
  std::mt19937_64 random(11);
  const uint32_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};
  for (int trial = 0; trial < 8000; ++trial) {
    const uint32_t bytes = sizes[random() % std::size(sizes)];
    const int shift = static_cast<int>(random() % 40);
    const int64_t stride = static_cast<int64_t>(random() % (1ull << (shift + 1))) - (1ll << shift);
    const uint64_t base = (1ull << 46) + random() % 4096;
    const uint32_t mask = trial % 2 ? kFullMask : kMasks[random() % std::size(kMasks)];
    const plain::Addresses addresses = plain::strided(base, stride);
    CAPTURE(trial, bytes, stride, base, mask);
    REQUIRE(global_cost_strided(base, stride, bytes, mask) == plain::global_cost(addresses, mask, bytes));
    REQUIRE(shared_cost_strided(base, stride, bytes, mask) == plain::shared_cost(addresses, mask, bytes));
  }
}

TEST_CASE("a uniform access is a stride of zero") {
  for (uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u, 32u}) {
    for (uint64_t base = 0x400; base < 0x400 + 130; ++base) {
      for (uint32_t mask : kMasks) {
        const plain::Addresses addresses = plain::strided(base, 0);
        CAPTURE(bytes, base, mask);
        REQUIRE(global_cost_uniform(base, bytes, mask) == plain::global_cost(addresses, mask, bytes));
        REQUIRE(shared_cost_strided(base, 0, bytes, mask) == plain::shared_cost(addresses, mask, bytes));
        REQUIRE(constant_wavefronts_uniform(base, bytes, mask) == constant_wavefronts(addresses.data(), mask, bytes));
        REQUIRE(local_cost_uniform(base, bytes, mask) == plain::local_cost(addresses, mask, bytes));
      }
    }
  }
}

TEST_CASE("even lanes are recognised, uneven ones are not") {
  struct Row {
    uint32_t mask, first, step, count;
  };
  const Row row = GENERATE(values<Row>({{kFullMask, 0, 1, 32},
                                        {0x1, 0, 1, 1},
                                        {0x80000000, 31, 1, 1},
                                        {0xfff0, 4, 1, 12},
                                        {0x55555555, 0, 2, 16},
                                        {0x80808080, 7, 8, 4},
                                        {0x9, 0, 3, 2},
                                        {0xb, 0, 0, 0},
                                        {0xf0f0, 0, 0, 0},
                                        {0, 0, 0, 0}}));
  const EvenLanes lanes = even_lanes(row.mask);
  CAPTURE(row.mask);
  CHECK(lanes.count == row.count);
  if (row.count > 0) {
    CHECK(lanes.first == row.first);
    CHECK(lanes.step == row.step);
  }
}

TEST_CASE("an empty mask costs nothing") {
  CHECK(global_cost_strided(0, 4, 4, 0) == GlobalCost{});
  CHECK(shared_cost_strided(0, 4, 4, 0) == SharedCost{});
  CHECK(local_cost_uniform(0, 4, 0) == GlobalCost{});
}
