// The lane patterns of repeated accesses to shared memory. Properties of a pattern are computed
// once; warps with different patterns can alternate without recomputing them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/races/lane_groups.h"

namespace ridge::observe {

struct AccessPattern {
  uint32_t id = 0;  // unique among all instructions until it is discarded
  uint32_t instruction = 0, site = 0;
  uint32_t mask = 0, bytes = 0;
  machine::AccessShape shape = machine::AccessShape::scattered;
  int64_t stride = 0;
  // Uniform, strided: distance from lane 0's address to the first active lane's.
  uint64_t to_base = 0;
  // Below: from the first lane's address down to the lowest; span: bytes from there.
  uint32_t below = 0, span = 0;
  std::array<uint32_t, 32> apart{};  // scattered: distances of active lanes from the first one
  bool is_distinct = false;          // no two lanes access the same bytes
  LaneGroups groups;

  // nullptr when the access is simple, or is not in whole words.
  const LaneGroups* lane_groups() const { return groups.is_simple ? nullptr : &groups; }
  bool fits(const machine::Access& access) const;
  // The load of this pattern whose first lane reads at `first`; `addresses` is storage for its
  // addresses.
  machine::Access load_at(uint64_t first, uint32_t warp, std::array<uint64_t, 32>& addresses) const;
};

class AccessPatterns {
 public:
  explicit AccessPatterns(size_t instructions) : kept_(instructions) {}
  // The pattern of a repeated access. Calls `on_evict` before another pattern of the instruction is
  // discarded.
  template <class OnEvict>
  AccessPattern& of(const machine::Access& access, uint32_t site, OnEvict on_evict) {
    Kept& kept = kept_[access.instruction];
    if (kept.current != nullptr) return *kept.current;
    for (const auto& pattern : kept.patterns) {
      if (pattern->fits(access)) return *(kept.current = pattern.get());
    }
    if (kept.patterns.size() == kMax) {
      on_evict();
      kept.oldest = (kept.oldest + 1) % kMax;
    }
    return *(kept.current = &add(kept, access, site));
  }
  // The instruction's next repeated access may have another pattern.
  void changes(uint32_t instruction) { kept_[instruction].current = nullptr; }
  const AccessPattern* current(uint32_t instruction) const { return kept_[instruction].current; }
  const AccessPattern& by_id(uint32_t id) const { return *kept_[id / kMax].patterns[id % kMax]; }

 private:
  static constexpr uint32_t kMax = 8;  // patterns per instruction
  struct Kept {
    std::vector<std::unique_ptr<AccessPattern>> patterns;
    AccessPattern* current = nullptr;
    uint32_t oldest = kMax - 1;  // when full: the position of the newest
  };
  static AccessPattern& add(Kept& kept, const machine::Access& access, uint32_t site);
  std::vector<Kept> kept_;  // by instruction
};

}  // namespace ridge::observe
