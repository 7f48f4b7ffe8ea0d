// How the lanes of accesses to shared memory that repeat themselves lie. What follows from that is worked out
// once; warps whose lanes lie differently take turns without working it out again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/races/lane_groups.h"

namespace ridge::observe {

struct AccessPattern {
  uint32_t id = 0;  // among those of all instructions, as long as nobody forgets it
  uint32_t instruction = 0, site = 0;
  uint32_t mask = 0, bytes = 0;
  machine::AccessShape shape = machine::AccessShape::scattered;
  int64_t stride = 0;
  uint64_t to_base = 0;              // uniform, strided: from lane 0's address to the first active lane's
  uint32_t below = 0, span = 0;      // from the first lane's address down to the lowest; bytes from there
  std::array<uint32_t, 32> apart{};  // scattered: active lanes' distances from the first one
  bool is_distinct = false;          // no two lanes touch the same bytes
  LaneGroups groups;

  // nullptr when the access lies simply, or not in whole words.
  const LaneGroups* lane_groups() const { return groups.is_simple ? nullptr : &groups; }
  bool fits(const machine::Access& access) const;
  // The load whose first lane reads at `first`; `addresses` is where its addresses may go.
  machine::Access load_at(uint64_t first, uint32_t warp, std::array<uint64_t, 32>& addresses) const;
};

class AccessPatterns {
 public:
  explicit AccessPatterns(size_t instructions) : kept_(instructions) {}
  // Of an access that repeats itself. `on_evict` is called before another pattern of the instruction is
  // forgotten.
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
  // The instruction's next access that repeats itself may lie differently.
  void changes(uint32_t instruction) { kept_[instruction].current = nullptr; }
  const AccessPattern* current(uint32_t instruction) const { return kept_[instruction].current; }
  const AccessPattern& by_id(uint32_t id) const { return *kept_[id / kMax].patterns[id % kMax]; }

 private:
  static constexpr uint32_t kMax = 8;  // of an instruction
  struct Kept {
    std::vector<std::unique_ptr<AccessPattern>> patterns;
    AccessPattern* current = nullptr;
    uint32_t oldest = kMax - 1;  // of a full row, where the newest went
  };
  static AccessPattern& add(Kept& kept, const machine::Access& access, uint32_t site);
  std::vector<Kept> kept_;  // by instruction
};

}  // namespace ridge::observe
