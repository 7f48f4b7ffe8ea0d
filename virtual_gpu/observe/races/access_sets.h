// Sets of accesses to one word by several blocks, none of which is ordered after the others. A set
// is a list: its newest access and the set of the older ones. Words that the same warps access in
// the same order share their sets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

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
  static constexpr uint32_t kChunk = 1024;
  struct Key {
    uint32_t older;
    Access access;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };

  uint32_t first_id_;
  std::mutex mutex_;
  uint32_t count_ = 0;
  std::array<std::unique_ptr<std::array<Set, kChunk>>, kMaxSets / kChunk> chunks_;
  std::unordered_map<Key, uint32_t, Hash> ids_;
};

inline size_t AccessSets::Hash::operator()(const Key& key) const {
  const Access& access = key.access;
  uint64_t hash = 0;
  for (const uint64_t part :
       {uint64_t{key.older} << 32 | access.serial, uint64_t{access.epoch} << 32 | access.site,
        uint64_t{access.first_thread} << 24 | uint64_t{access.shift} << 16 |
            uint64_t{access.bytes} << 8 | access.writes})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ull ^ hash >> 29;
  return hash ^ hash >> 32;
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
  const auto known = ids_.find({id, access});
  if (known != ids_.end()) return known->second;
  if (count_ == kMaxSets) return id;
  auto& chunk = chunks_[count_ / kChunk];
  if (chunk == nullptr) chunk = std::make_unique<std::array<Set, kChunk>>();
  (*chunk)[count_ % kChunk] = {access, id, count, access.writes || (set != nullptr && set->writes)};
  const uint32_t made = first_id_ + count_++;
  ids_.emplace(Key{id, access}, made);
  return made;
}

}  // namespace ridge::observe
