// Assigns the lanes of an access to its wavefronts, phase by phase.
#include "warp_model/shared_memory/wavefronts.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warp_model/shared_memory/lane_pairs.h"

namespace ridge::warp_model {
namespace {

class Dealer {
 public:
  Dealer(const uint64_t* addresses, uint32_t bytes) : addresses_(addresses), bytes_(bytes) {}

  // A word joins the wavefront in which its bank already serves that word, otherwise the first one
  // in which the bank is free.
  void add_shared_phase(uint32_t lanes, bool may_be_ideal) {
    const size_t first = begin_phase(lanes);
    if (lanes == 0) return;
    for_each_word(lanes, [&](uint32_t lane, uint64_t word) {
      size_t at = first;
      while (at < made.size() && made[at].banks[word % kBanks].lanes != 0 &&
             made[at].banks[word % kBanks].word != word)
        ++at;
      serve(at, lane, word, may_be_ideal && at == first);
    });
  }

  // Lanes that use one bank are served one after the other, in `times` wavefronts each.
  void add_atomic_phase(uint32_t lanes, uint32_t times) {
    const size_t first = begin_phase(lanes);
    std::array<uint32_t, kBanks> served{};
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint32_t before = served[addresses_[lane] / kBankBytes % kBanks]++;
      for (uint32_t k = 0; k < times; ++k)
        for_each_word(1u << lane, [&](uint32_t, uint64_t word) {
          serve(first + before * times + k, lane, word, before == 0);
        });
    }
  }

  // The lanes that try to swap take two wavefronts.
  void add_swap(uint32_t lanes, bool is_ideal) {
    const size_t first = begin_phase(lanes);
    for (size_t k = 0; k < 2; ++k)
      for_each_word(lanes,
                    [&](uint32_t lane, uint64_t word) { serve(first + k, lane, word, is_ideal); });
  }

  void begin_attempt(uint32_t attempt) { attempt_ = attempt, phase_ = 0, is_begun_ = false; }

  std::vector<Wavefront> made;

 private:
  size_t begin_phase(uint32_t lanes) {
    if (lanes != 0) phase_ += is_begun_ ? 1 : 0, is_begun_ = true;
    return made.size();
  }

  template <typename Act>
  void for_each_word(uint32_t lanes, Act act) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
      const uint64_t last = (addresses_[lane] + bytes_ - 1) / kBankBytes;
      for (uint64_t word = addresses_[lane] / kBankBytes; word <= last; ++word)
        act(lane, word);
    }
  }

  void serve(size_t at, uint32_t lane, uint64_t word, bool is_ideal) {
    while (made.size() <= at) {
      Wavefront& one = made.emplace_back();
      one.phase = phase_, one.attempt = attempt_, one.is_ideal = is_ideal;
    }
    made[at].lanes |= 1u << lane;
    made[at].banks[word % kBanks].lanes |= 1u << lane;
    made[at].banks[word % kBanks].word = word;
  }

  const uint64_t* addresses_;
  const uint32_t bytes_;
  uint32_t phase_ = 0, attempt_ = 0;
  bool is_begun_ = false;
};

template <typename Act>
void for_each_phase(uint32_t mask, uint32_t bytes, Act act) {
  const uint32_t lanes = lanes_per_phase(bytes);
  for (uint32_t first = 0; first < kWarpLanes; first += lanes)
    act(mask & static_cast<uint32_t>(((uint64_t{1} << lanes) - 1) << first));
}

void add_load(Dealer& dealer, const uint64_t* addresses, uint32_t mask, uint32_t bytes, bool may_be_ideal) {
  const detail::LoadPhases phases = detail::load_phases(addresses, mask, bytes);
  if (phases.is_plain)
    for_each_phase(mask, bytes, [&](uint32_t lanes) { dealer.add_shared_phase(lanes, may_be_ideal); });
  for (uint32_t k = 0; k < phases.count; ++k)
    dealer.add_shared_phase(phases.lanes[k], may_be_ideal);
}

void add_loop(Dealer& dealer, const uint64_t* addresses, uint32_t mask, uint32_t bytes) {
  uint32_t attempt = 0;
  for (uint32_t pending = mask; pending != 0; ++attempt) {
    dealer.begin_attempt(attempt);
    add_load(dealer, addresses, pending, bytes, attempt == 0);
    pending &= ~atomic_loop_attempt(
        addresses, pending, bytes,
        [&](uint32_t, uint32_t candidates) { dealer.add_swap(candidates, attempt == 0); });
  }
}

}  // namespace

std::vector<Wavefront> wavefronts_of(SharedAccess access, const uint64_t* addresses, uint32_t mask,
                                     uint32_t bytes_per_lane) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  Dealer dealer(addresses, bytes_per_lane);
  switch (access) {
    case SharedAccess::load:
      add_load(dealer, addresses, mask, bytes_per_lane, true);
      break;
    case SharedAccess::store:
    case SharedAccess::atomic_increment:
      for_each_phase(mask, bytes_per_lane, [&](uint32_t lanes) { dealer.add_shared_phase(lanes, true); });
      break;
    case SharedAccess::atomic:
    case SharedAccess::atomic_compare_swap:
      for_each_phase(mask, bytes_per_lane, [&](uint32_t lanes) {
        dealer.add_atomic_phase(lanes, access == SharedAccess::atomic ? 1 : 2);
      });
      break;
    case SharedAccess::atomic_loop:
      add_loop(dealer, addresses, mask, bytes_per_lane);
      break;
  }
  return std::move(dealer.made);
}

uint32_t ideal_wavefronts(const std::vector<Wavefront>& wavefronts) {
  return static_cast<uint32_t>(
      std::count_if(wavefronts.begin(), wavefronts.end(), [](const Wavefront& w) { return w.is_ideal; }));
}

uint32_t delayed_lanes(const std::vector<Wavefront>& wavefronts) {
  uint32_t lanes = 0;
  for (const Wavefront& one : wavefronts)
    if (!one.is_ideal) lanes |= one.lanes;
  return lanes;
}

}  // namespace ridge::warp_model
