// An array of global memory that GlobalShadow checks: its cells, and the locks for host threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "virtual_gpu/observe/races/global_shadow.h"
#include "virtual_gpu/observe/races/shadow_pool.h"

namespace ridge::observe {

struct GlobalShadow::Region {
  // Words that share a lock. Neighbouring blocks process the same rows at the same time, so their
  // columns should have different locks. At least the span of one access.
  static constexpr uint64_t kStripeWords = 256;
  static constexpr uint64_t kLineWords = 32;
  static constexpr int kTriesBeforeYield = 100;

  uint64_t begin = 0, end = 0, words = 0;
  // more_readers: the second lowest block.
  uint64_t *writers = nullptr, *readers = nullptr, *more_readers = nullptr;
  // One cell for the writers of 32 words, as long as one warp has written them consecutively and no
  // other warp accessed them; a cell without bytes: the words have their own cells since this
  // launch began.
  uint64_t* lines = nullptr;
  // When blocks can synchronise through memory: three epochs per word, and the number of the set of
  // its further accesses (access_sets.h).
  uint64_t *epochs = nullptr, *others = nullptr;
  bool may_be_read = false;  // this kernel's code may read it
  std::atomic<bool> was_read{false}, has_two_readers{false};
  std::atomic<bool> has_sets{false};  // some word has a set of further accesses
  struct alignas(64) Lock {
    std::atomic_flag taken;
  };
  Lock locks[64];

  Region(uint64_t from, uint64_t to, bool with_epochs, uint32_t first_serial)
      : begin(from & ~3ull), end(to) {
    words = (end - begin + 3) / 4 + 8;
    writers = ShadowPool::get().take(words, first_serial);
    readers = ShadowPool::get().take(words, first_serial);
    more_readers = ShadowPool::get().take(words, first_serial);
    lines = ShadowPool::get().take(words / kLineWords + 1, first_serial);
    if (!with_epochs) return;
    epochs = ShadowPool::get().take(words * 2, first_serial, ShadowPool::Content::epochs);
    others = ShadowPool::get().take(words / 2 + 1, first_serial, ShadowPool::Content::sets);
  }
  ~Region() {
    ShadowPool::get().give(writers, words);
    ShadowPool::get().give(readers, words);
    ShadowPool::get().give(more_readers, words);
    ShadowPool::get().give(lines, words / kLineWords + 1);
    ShadowPool::get().give(epochs, words * 2, ShadowPool::Content::epochs);
    ShadowPool::get().give(others, words / 2 + 1, ShadowPool::Content::sets);
  }
  bool usable(bool with_epochs) const {
    return writers != nullptr && readers != nullptr && more_readers != nullptr &&
           lines != nullptr && (!with_epochs || (epochs != nullptr && others != nullptr));
  }
  enum Slot : uint64_t { kWriter, kReader, kMoreReader };
  uint32_t epoch(uint64_t word, Slot slot) const {
    return epochs == nullptr ? 0 : reinterpret_cast<const uint32_t*>(epochs)[slot * words + word];
  }
  void set_epoch(uint64_t word, Slot slot, uint32_t epoch) {
    if (epochs == nullptr) return;
    // Write only on change: most are zero and stay zero, and reading untouched pages allocates no
    // memory.
    uint32_t& there = reinterpret_cast<uint32_t*>(epochs)[slot * words + word];
    if (there != epoch) there = epoch;
  }
  uint32_t* set_of(uint64_t word) { return reinterpret_cast<uint32_t*>(others) + word; }
  void record_read() {
    if (!was_read.load(std::memory_order_relaxed)) was_read.store(true, std::memory_order_relaxed);
  }
  void lock(uint64_t stripe) {
    std::atomic_flag& taken = locks[stripe % 64].taken;
    // Held for less than a microsecond, unless the host has suspended the thread that holds it.
    for (int tries = 0; taken.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries >= kTriesBeforeYield) std::this_thread::yield();
    }
  }
  void unlock(uint64_t stripe) { locks[stripe % 64].taken.clear(std::memory_order_release); }
  // Holds the lock of one stripe while successive words are in it.
  class Hold {
   public:
    Hold() = default;
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { give(); }
    void take(Region& region, uint64_t stripe) {
      if (region_ == &region && stripe_ == stripe) return;
      give();
      region.lock(stripe);
      region_ = &region;
      stripe_ = stripe;
    }

   private:
    void give() {
      if (region_ != nullptr) region_->unlock(stripe_);
      region_ = nullptr;
    }
    Region* region_ = nullptr;
    uint64_t stripe_ = 0;
  };
};

}  // namespace ridge::observe
