// Sets of accesses to one word by several blocks, none of which is ordered after the others. A set
// is a list: its newest access and the set of the older ones. Words that the same warps access in
// the same order share their sets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "virtual_gpu/observe/races/shadow_pool.h"

namespace ridge::observe {

class AccessSets {
 public:
  // Above these a set stays as it is, and the check misses races with what it lacks.
  static constexpr uint32_t kMaxSets = 1u << 18;
  static constexpr uint32_t kMaxAccesses = 1024;  // of one set

  struct Access {
    uint32_t serial = 0, epoch = 0;  // of the block (block_messages.h)
    uint32_t site = 0;
    // The thread of word w is first_thread + (w >> shift), modulo 1024, so that one access describes
    // the words of a whole warp.
    uint16_t first_thread = 0;
    uint8_t shift = 0, bytes = 0;
    bool writes = false;  // an atomic; otherwise a read
    bool operator==(const Access&) const = default;
    uint32_t thread(uint64_t word) const { return (first_thread + (word >> shift)) & 1023; }
  };
  struct Set {
    Access newest;
    uint32_t older = 0, count = 0;  // older: 0 for no more
    bool writes = false;            // one of its accesses does
  };

  // `is_used`: it will have sets.
  explicit AccessSets(bool is_used);
  // nullptr for the empty set, which every number is that add() has not returned.
  const Set* find(uint32_t id) const;
  uint32_t add(uint32_t id, const Access& access);

 private:
  static constexpr uint32_t kChunk = 1024, kFirstSlots = 256;
  static uint64_t hash(uint32_t older, const Access& access);
  Set& at(uint32_t index) { return (*chunks_[index / kChunk])[index % kChunk]; }
  uint32_t& slot_of(uint32_t older, const Access& access);
  void double_slots();

  uint32_t first_id_;
  std::mutex mutex_;
  uint32_t count_ = 0;
  std::array<std::unique_ptr<std::array<Set, kChunk>>, kMaxSets / kChunk> chunks_;
  // A hash table with linear probing, at most half full: the index of a set plus one, 0 for none.
  // The number of slots is a power of two.
  std::vector<uint32_t> slots_;
};

inline uint64_t AccessSets::hash(uint32_t older, const Access& access) {
  uint64_t hash = 0;
  for (const uint64_t part :
       {uint64_t{older} << 32 | access.serial, uint64_t{access.epoch} << 32 | access.site,
        uint64_t{access.first_thread} << 24 | uint64_t{access.shift} << 16 |
            uint64_t{access.bytes} << 8 | access.writes})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ull ^ hash >> 29;
  return hash ^ hash >> 32;
}

// Where the set is, or the free slot where it belongs.
inline uint32_t& AccessSets::slot_of(uint32_t older, const Access& access) {
  for (uint64_t place = hash(older, access);; ++place) {
    uint32_t& slot = slots_[place & (slots_.size() - 1)];
    if (slot == 0) return slot;
    const Set& set = at(slot - 1);
    if (set.older == older && set.newest == access) return slot;
  }
}

inline void AccessSets::double_slots() {
  slots_.assign(slots_.empty() ? kFirstSlots : 2 * slots_.size(), 0);
  for (uint32_t index = 0; index < count_; ++index)
    slot_of(at(index).older, at(index).newest) = index + 1;
}

inline AccessSets::AccessSets(bool is_used)
    : first_id_(is_used ? ShadowPool::get().take_sets(kMaxSets) : 0) {}

inline const AccessSets::Set* AccessSets::find(uint32_t id) const {
  const uint32_t index = id - first_id_;
  if (index >= kMaxSets || chunks_[index / kChunk] == nullptr) return nullptr;
  const Set& set = (*chunks_[index / kChunk])[index % kChunk];
  return set.count == 0 ? nullptr : &set;
}

inline uint32_t AccessSets::add(uint32_t id, const Access& access) {
  const Set* set = find(id);
  if (set != nullptr && set->newest == access) return id;
  // The block's later access replaces its earlier one: what is ordered after it is ordered after
  // both.
  if (set != nullptr && set->newest.serial == access.serial &&
      set->newest.writes == access.writes) {
    id = set->older;
    set = find(id);
  }
  if (set == nullptr) id = 0;
  const uint32_t count = set == nullptr ? 1 : set->count + 1;
  if (count > kMaxAccesses) return id;
  const std::lock_guard lock(mutex_);
  if (2 * count_ >= slots_.size()) double_slots();
  uint32_t& slot = slot_of(id, access);
  if (slot != 0) return first_id_ + slot - 1;
  if (count_ == kMaxSets) return id;
  auto& chunk = chunks_[count_ / kChunk];
  if (chunk == nullptr) chunk = std::make_unique<std::array<Set, kChunk>>();
  at(count_) = {access, id, count, access.writes || (set != nullptr && set->writes)};
  slot = ++count_;
  return first_id_ + slot - 1;
}

}  // namespace ridge::observe
