// Resources that the shadows of global memory keep between launches.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace ridge::observe {

// Serial numbers of blocks and memory for cells, for all launches: cells of earlier launches have
// lower serials, so nothing must be cleared until the numbers are exhausted. A launch that runs at the
// same time may have taken its serials later and given its cells back sooner: such cells may have
// higher serials, and are not taken.
class ShadowPool {
 public:
  static constexpr uint64_t kMaxSpareBytes = 4ull << 30;  // bytes
  static ShadowPool& get() {
    static auto* pool = new ShadowPool;
    return *pool;
  }
  uint32_t take_serials(uint64_t count) {
    const std::lock_guard lock(mutex_);
    if (next_serial_ + count > 0xffffffffull) {
      drop_spare();
      next_serial_ = 1;
    }
    const auto first = static_cast<uint32_t>(next_serial_);
    next_serial_ += count;
    return first;
  }
  // Numbers of sets of accesses (access_sets.h), which stay in the memory like serials.
  uint32_t take_sets(uint32_t count) {
    const std::lock_guard lock(mutex_);
    if (next_set_ + count > 0xffffffffull) {
      drop_spare();
      next_set_ = 1;
    }
    const auto first = static_cast<uint32_t>(next_set_);
    next_set_ += count;
    return first;
  }
  // What memory holds: old numbers of one kind must not be taken for another's.
  enum class Content : uint8_t { cells, epochs, sets };
  // Words of 8 bytes: cells without a serial from `first_serial` on.
  uint64_t* take(uint64_t words, uint32_t first_serial, Content content = Content::cells) {
    {
      const std::lock_guard lock(mutex_);
      auto [found, end] = spare_.equal_range({words, content});
      while (found != end && found->second.below > first_serial)
        ++found;
      if (found != end) {
        uint64_t* cells = found->second.cells;
        spare_.erase(found);
        spare_bytes_ -= words * 8;
        return cells;
      }
    }
    void* cells = mmap(nullptr, words * 8, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED) return nullptr;
    madvise(cells, words * 8, MADV_HUGEPAGE);
    return static_cast<uint64_t*>(cells);
  }
  void give(uint64_t* cells, uint64_t words, Content content = Content::cells) {
    if (cells == nullptr) return;
    const std::lock_guard lock(mutex_);
    if (spare_bytes_ + words * 8 > kMaxSpareBytes) {
      munmap(cells, words * 8);
      return;
    }
    spare_bytes_ += words * 8;
    spare_.emplace(std::pair(words, content), Spare{cells, next_serial_});
  }

 private:
  struct Spare {
    uint64_t* cells = nullptr;
    uint64_t below = 0;  // every serial in the cells is below this one
  };
  void drop_spare() {
    for (const auto& [key, spare] : spare_)
      munmap(spare.cells, key.first * 8);
    spare_.clear();
    spare_bytes_ = 0;
  }
  std::mutex mutex_;
  uint64_t next_serial_ = 1, next_set_ = 1, spare_bytes_ = 0;
  std::multimap<std::pair<uint64_t, Content>, Spare> spare_;  // by number of words
};

}  // namespace ridge::observe
