// Who wrote and read each word of memory last, across the launches and copies of several devices
// that may run at the same time. One object per process; it begins anew whenever everything before
// has ended and the host knows it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/observe/races/devices/peer_clock.h"
#include "virtual_gpu/observe/races/devices/peer_flags.h"

namespace ridge::observe {

inline constexpr unsigned kMostPeers = 16;

// A launch or a copy.
struct PeerTask {
  unsigned device = 0;
  uint32_t queue = 0;  // its stream, and its number there
  uint64_t number = 0;
  std::string name;                           // of the kernel; "a copy"
  const machine::Program* program = nullptr;  // nullptr: a copy
  machine::Dim3 grid, block;
};

// An access of a warp: how cells name who touched a word.
struct PeerAccess {
  BlockKey block = 0;
  uint32_t stamp = 0, instruction = 0;
  uint8_t warp = 0;
  bool writes = false;
  bool is_strong = false;      // with system scope: two such accesses do not race
  bool is_flag = false;        // ordered in some way, perhaps with too narrow a scope
  uint16_t acquired_from = 0;  // the devices of which the warp had acquired something, one bit each
};

// Two accesses of two devices to one word, one of them a write, neither before the other.
struct PeerRace {
  uint64_t address = 0;
  PeerAccess other;
};

class PeerShadow {
 public:
  explicit PeerShadow(unsigned devices) : devices_(devices) {}
  PeerShadow(const PeerShadow&) = delete;
  PeerShadow& operator=(const PeerShadow&) = delete;

  // Returns the number of the task, or kNotFollowed when there are too many. `before`: the tasks
  // that precede it.
  static constexpr uint32_t kNotFollowed = ~0u;
  uint32_t begin(PeerTask task, const TaskClock& before);
  void end(uint32_t task);
  const PeerTask& task(uint32_t number) const { return *tasks_[number]; }

  // What a block of a launch knew at its end: with the launch's end that holds for all that follows.
  void keep_learned(uint32_t task, const PastRef& past);
  // What holds for a task with these predecessors.
  PastRef past_of(const TaskClock& before);

  // The memory of a freed array may be that of another array later.
  void forget(uint64_t begin, uint64_t bytes);

  // Makes a name for an access, to be used for many words. 0: there is no room for more.
  uint32_t record(const PeerAccess& access);
  const PeerAccess& access_of(uint32_t record) const {
    return chunks_[record / kChunk].load(std::memory_order_acquire)[record % kChunk];
  }

  // An access to the bytes [begin, begin + bytes) by what `record` names, of a thread that knows
  // `past` (and everything of its own device). Returns true and sets `race` when it races; later
  // bytes are not looked at then.
  bool touch(uint64_t begin, uint64_t bytes, uint32_t record, const PeerPast* past, PeerRace& race);

  PeerFlags flags;

 private:
  static constexpr uint64_t kPageBytes = 4096, kWords = kPageBytes / 4;
  static constexpr size_t kMostTasks = 1 << 16, kChunk = 1 << 12, kMostChunks = 1 << 14;
  // A cell: the number of a record, and which bytes of the word.
  using Cells = std::array<uint32_t, kWords>;
  struct Page {
    std::atomic_flag taken;  // by the thread that uses the cells: see PageLock
    uint64_t epoch = 0;
    Cells writers{};
    std::array<std::unique_ptr<Cells>, kMostPeers> readers;  // by device
  };
  Page& page_at(uint64_t number);
  void renew(Page& page) const;
  bool is_before(const PeerAccess& other, unsigned device, const PeerPast* past) const;
  bool touch_words(Page& page, uint64_t begin, uint64_t end, uint32_t record, const PeerPast* past,
                   PeerRace& race);
  void reset();

  const unsigned devices_;
  std::mutex mutex_;  // of the tasks
  std::vector<std::unique_ptr<PeerTask>> tasks_;
  TaskClock begun_;  // all tasks since the last reset
  // By stream: the number of each task that acquired a signal, and what had happened before that
  // task's end. Later tasks of the stream are ordered after all of it.
  std::unordered_map<uint32_t, std::vector<std::pair<uint64_t, PastRef>>> learned_;
  size_t running_ = 0;
  std::atomic<uint64_t> epoch_{1};
  std::atomic<uint32_t> records_{1};
  std::mutex chunk_mutex_;
  std::array<std::atomic<PeerAccess*>, kMostChunks> chunks_{};
  struct Shard {
    std::shared_mutex mutex;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  };
  std::array<Shard, 64> shards_;
};

}  // namespace ridge::observe
