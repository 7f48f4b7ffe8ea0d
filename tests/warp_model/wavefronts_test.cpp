// The lanes of every wavefront against the costs, which are computed by other code.
#include "warp_model/shared_memory/wavefronts.h"

#include <random>

#include "tests/catch.h"
#include "warp_model/async_copy.h"

namespace ridge::warp_model {
namespace {

constexpr SharedAccess kAccesses[] = {SharedAccess::load,   SharedAccess::store,
                                      SharedAccess::atomic, SharedAccess::atomic_increment,
                                      SharedAccess::atomic_compare_swap, SharedAccess::atomic_loop};

struct RandomAccess {
  uint64_t addresses[32] = {};
  uint32_t mask = ~0u, bytes = 4;

  // `aligned`: as every access that a kernel can make without a fault.
  RandomAccess(std::mt19937& random, bool aligned) {
    bytes = aligned ? 1u << random() % 5 : 1 + random() % 40;
    const uint32_t range = 1u << random() % 12;  // few words: many broadcasts
    const auto kind = random() % 4;
    for (uint64_t lane = 0; lane < 32; ++lane) {
      uint64_t element = random() % range;
      if (kind == 0) element = lane * (range % 65);
      if (kind == 1) element = lane / (1 + range % 8) * (range % 33);
      if (kind == 2) element = (lane ^ (lane >> 2)) % (1 + range % 64) * 8;
      addresses[lane] = element * bytes + (aligned ? 0 : random() % 4);
    }
    if (random() % 2) mask = random();
    if (random() % 8 == 0) mask &= random() & random();
  }
};

}  // namespace

TEST_CASE("There are as many wavefronts as an access costs, and every lane gets its words once") {
  std::mt19937 random(16);
  for (int trial = 0; trial < 30000; ++trial) {
    const SharedAccess access = kAccesses[random() % std::size(kAccesses)];
    const bool is_atomic = access >= SharedAccess::atomic;
    const RandomAccess one(random, is_atomic || trial % 3 != 0);
    const uint32_t bytes = is_atomic ? std::max(4u, one.bytes) : one.bytes;
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 32; ++lane)
      addresses[lane] = is_atomic ? one.addresses[lane] / bytes * bytes : one.addresses[lane];
    const std::vector<Wavefront> wavefronts = wavefronts_of(access, addresses, one.mask, bytes);
    const SharedCost cost = shared_cost_of(access, addresses, one.mask, bytes);
    INFO("trial " << trial << ", access " << static_cast<int>(access) << ", " << bytes << " bytes, mask "
                  << one.mask);
    REQUIRE(wavefronts.size() == cost.wavefronts);
    REQUIRE(ideal_wavefronts(wavefronts) == cost.ideal_wavefronts);
    uint32_t served = 0;
    uint64_t words = 0, wanted = 0;
    for (const Wavefront& wavefront : wavefronts) {
      uint32_t lanes = 0;
      for (uint32_t bank = 0; bank < kBanks; ++bank) {
        const BankService& service = wavefront.banks[bank];
        lanes |= service.lanes;
        words += active_lanes(service.lanes);
        if (service.lanes) REQUIRE(service.word % kBanks == bank);
      }
      REQUIRE(lanes == wavefront.lanes);
      REQUIRE(lanes != 0);
      served |= lanes;
    }
    REQUIRE(served == one.mask);
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (one.mask >> lane & 1) wanted += (addresses[lane] + bytes - 1) / 4 - addresses[lane] / 4 + 1;
    if (!is_atomic || access == SharedAccess::atomic || access == SharedAccess::atomic_increment)
      REQUIRE(words == wanted);
  }
}

TEST_CASE("The wavefronts of a copy to shared memory have the lanes of a store") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 5000; ++trial) {
    const RandomAccess one(random, true);
    if (one.bytes < 4) continue;
    const Wavefronts lean = async_copy_wavefronts(one.addresses, one.mask, one.bytes);
    const std::vector<Wavefront> full =
        wavefronts_of(SharedAccess::store, one.addresses, one.mask, one.bytes);
    REQUIRE(lean.count == full.size());
    for (uint32_t k = 0; k < lean.count; ++k)
      REQUIRE(lean.lanes[k] == full[k].lanes);
  }
}

TEST_CASE("A wavefront says which lanes it serves, and which are delayed by a conflict") {
  uint64_t addresses[32];
  for (uint64_t lane = 0; lane < 32; ++lane)
    addresses[lane] = lane % 2 * 128 + lane / 2 * 4;
  const std::vector<Wavefront> made = wavefronts_of(SharedAccess::store, addresses, ~0u, 4);
  REQUIRE(made.size() == 2);
  CHECK(made[0].lanes == 0x55555555u);
  CHECK(made[1].lanes == 0xaaaaaaaau);
  CHECK(delayed_lanes(made) == 0xaaaaaaaau);
  CHECK(made[1].banks[3] == BankService{1u << 7, 35});
  for (uint64_t lane = 0; lane < 32; ++lane)
    addresses[lane] = 64;
  CHECK(wavefronts_of(SharedAccess::store, addresses, ~0u, 4).size() == 1);
  CHECK(wavefronts_of(SharedAccess::atomic_increment, addresses, ~0u, 4).size() == 1);
  CHECK(wavefronts_of(SharedAccess::atomic, addresses, ~0u, 4).size() == 32);
  CHECK(unit_wavefronts(129) == 2);
}

}  // namespace ridge::warp_model
