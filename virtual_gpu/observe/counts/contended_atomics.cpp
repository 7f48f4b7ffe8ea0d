#include "virtual_gpu/observe/counts/contended_atomics.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_set>

#include "warp_model/shared_memory/shared_access.h"

namespace ridge::observe {
namespace {

constexpr uint64_t key_of(uint32_t warp, uint32_t instruction) {
  return uint64_t{warp} << 32 | instruction;
}

}  // namespace

void ContendedAtomics::note(const machine::Access& access) {
  ++noted_[access.instruction];
  if (access.warp >= phases_.size()) phases_.resize(access.warp + 1);
  const uint32_t index = next_index_[key_of(access.warp, access.instruction)]++;
  if (atomics_.size() == kMostKept) return;
  Atomic atomic{access.instruction, phases_[access.warp], index, access.warp,
                access.mask,        access.bytes,         {}};
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  std::transform(std::begin(addresses), std::end(addresses), atomic.offsets.begin(),
                 [](uint64_t address) { return static_cast<uint32_t>(address); });
  atomics_.push_back(atomic);
}

void ContendedAtomics::barrier(uint32_t warp) {
  if (noted_.empty()) return;
  if (warp >= phases_.size()) phases_.resize(warp + 1);
  ++phases_[warp];
  next_index_.erase(next_index_.lower_bound(key_of(warp, 0)),
                    next_index_.lower_bound(key_of(warp + 1, 0)));
}

std::map<uint32_t, ContentionCost> ContendedAtomics::end_block() {
  std::map<uint32_t, ContentionCost> costs;
  if (noted_.empty()) return costs;
  std::map<uint32_t, uint64_t> kept;  // by instruction
  for (const Atomic& atomic : atomics_)
    ++kept[atomic.instruction];
  const auto moment = [](const Atomic& a) { return std::tuple(a.instruction, a.phase, a.index); };
  std::stable_sort(atomics_.begin(), atomics_.end(),
                   [&](const Atomic& a, const Atomic& b) { return moment(a) < moment(b); });
  for (size_t first = 0, last = 0; first < atomics_.size(); first = last) {
    while (last < atomics_.size() && moment(atomics_[last]) == moment(atomics_[first]))
      ++last;
    if (last - first < 2) continue;
    const ContentionCost cost = cost_of(&atomics_[first], &atomics_[0] + last);
    ContentionCost& sum = costs[atomics_[first].instruction];
    sum.attempts += cost.attempts;
    sum.failed_attempts += cost.failed_attempts;
    sum.load_wavefronts += cost.load_wavefronts;
    sum.swap_wavefronts += cost.swap_wavefronts;
  }
  for (auto& [instruction, cost] : costs) {
    const uint64_t all = noted_[instruction], of = kept[instruction];
    cost.attempts = cost.attempts * all / of;
    cost.failed_attempts = cost.failed_attempts * all / of;
    cost.load_wavefronts = cost.load_wavefronts * all / of;
    cost.swap_wavefronts = cost.swap_wavefronts * all / of;
  }
  atomics_.clear();
  noted_.clear();
  next_index_.clear();
  std::fill(phases_.begin(), phases_.end(), 0);
  return costs;
}

// The atomics of several warps at one moment, less what each would cost alone.
ContentionCost ContendedAtomics::cost_of(const Atomic* first, const Atomic* last) {
  struct Pending {
    std::array<uint64_t, 32> addresses{};
    uint32_t lanes = 0, bytes = 0;
  };
  std::vector<Pending> warps;
  ContentionCost alone, together;
  for (const Atomic* atomic = first; atomic != last; ++atomic) {
    Pending& warp = warps.emplace_back();
    std::copy(atomic->offsets.begin(), atomic->offsets.end(), warp.addresses.begin());
    warp.lanes = atomic->mask;
    warp.bytes = atomic->bytes;
    const auto cost = warp_model::atomic_loop_cost(warp.addresses.data(), warp.lanes, warp.bytes);
    alone.attempts += cost.attempts;
    alone.load_wavefronts += cost.load_wavefronts;
    alone.swap_wavefronts += cost.swap_wavefronts;
  }
  uint32_t random = 0x9e3779b9;          // the same in every run
  std::unordered_set<uint64_t> changed;  // words, in this attempt
  for (uint32_t attempt = 0; !warps.empty(); ++attempt) {
    size_t begin = 0;
    if (attempt % 2 != 0) {
      random = random * 1664525 + 1013904223;
      begin = (random >> 16) % warps.size();
    }
    changed.clear();
    for (size_t k = 0; k < warps.size(); ++k) {
      Pending& warp = warps[(begin + k) % warps.size()];
      ++together.attempts;
      together.load_wavefronts +=
          warp_model::shared_load_cost(warp.addresses.data(), warp.lanes, warp.bytes).wavefronts;
      uint32_t swapped = warp_model::atomic_loop_attempt(
          warp.addresses.data(), warp.lanes, warp.bytes,
          [&](uint32_t, uint32_t) { together.swap_wavefronts += 2; });
      for (uint32_t rest = swapped; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        if (!changed.insert(warp.addresses[lane]).second) swapped &= ~(1u << lane);
      }
      together.failed_attempts += swapped == 0;
      warp.lanes &= ~swapped;
    }
    std::erase_if(warps, [](const Pending& warp) { return warp.lanes == 0; });
  }
  together.attempts -= std::min(together.attempts, alone.attempts);
  together.load_wavefronts -= std::min(together.load_wavefronts, alone.load_wavefronts);
  together.swap_wavefronts -= std::min(together.swap_wavefronts, alone.swap_wavefronts);
  return together;
}

}  // namespace ridge::observe
