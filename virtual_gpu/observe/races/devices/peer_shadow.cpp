#include "virtual_gpu/observe/races/devices/peer_shadow.h"

#include <algorithm>

namespace ridge::observe {
namespace {

constexpr uint32_t kMaskBits = 4, kAllBytes = 15;

uint32_t record_of(uint32_t cell) {
  return cell >> kMaskBits;
}

// Held for at most 1024 words, so waiting threads spin.
class PageLock {
 public:
  explicit PageLock(std::atomic_flag& taken) : taken_(taken) {
    while (taken_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~PageLock() { taken_.clear(std::memory_order_release); }
  PageLock(const PageLock&) = delete;
  PageLock& operator=(const PageLock&) = delete;

 private:
  std::atomic_flag& taken_;
};

}  // namespace

uint32_t PeerShadow::begin(PeerTask task, const TaskClock& before) {
  const std::lock_guard lock(mutex_);
  if (running_ == 0 && before.covers(begun_)) reset();
  if (tasks_.size() >= kMostTasks) return kNotFollowed;
  begun_.raise(task.queue, task.number);
  ++running_;
  if (tasks_.capacity() == 0) tasks_.reserve(kMostTasks);  // read without a lock
  tasks_.push_back(std::make_unique<PeerTask>(std::move(task)));
  return static_cast<uint32_t>(tasks_.size() - 1);
}

void PeerShadow::end(uint32_t task) {
  if (task == kNotFollowed) return;
  const std::lock_guard lock(mutex_);
  --running_;
}

void PeerShadow::keep_learned(uint32_t number, const PastRef& past) {
  const PeerTask& of = task(number);
  const std::lock_guard lock(mutex_);
  auto& tasks = learned_[of.queue];
  if (tasks.empty() || tasks.back().first != of.number)
    tasks.emplace_back(of.number, past);
  else
    tasks.back().second = joined(tasks.back().second, past);
}

PastRef PeerShadow::past_of(const TaskClock& before) {
  auto own = std::make_shared<PeerPast>();
  own->tasks = before;
  PastRef past = std::move(own);
  const std::lock_guard lock(mutex_);
  for (const auto& [queue, number] : before.last) {
    const auto tasks = learned_.find(queue);
    if (tasks == learned_.end()) continue;
    const auto later =
        std::upper_bound(tasks->second.begin(), tasks->second.end(), number,
                         [](uint64_t until, const auto& task) { return until < task.first; });
    if (later != tasks->second.begin()) past = joined(past, std::prev(later)->second);
  }
  return past;
}

void PeerShadow::reset() {
  tasks_.clear();
  learned_.clear();
  begun_ = {};
  records_ = 1;
  ++epoch_;
  flags.clear();
}

uint32_t PeerShadow::record(const PeerAccess& access) {
  const uint32_t number = records_.fetch_add(1);
  const size_t chunk = number / kChunk;
  if (chunk >= kMostChunks) {
    records_ = static_cast<uint32_t>(kMostChunks * kChunk);
    return 0;
  }
  PeerAccess* at = chunks_[chunk].load(std::memory_order_acquire);
  if (at == nullptr) {
    const std::lock_guard lock(chunk_mutex_);
    at = chunks_[chunk].load(std::memory_order_acquire);
    if (at == nullptr) {
      at = new PeerAccess[kChunk];  // kept for the next ones, as long as the process
      chunks_[chunk].store(at, std::memory_order_release);
    }
  }
  at[number % kChunk] = access;
  return number;
}

PeerShadow::Page& PeerShadow::page_at(uint64_t number) {
  Shard& shard = shards_[number % shards_.size()];
  {
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.pages.find(number);
    if (found != shard.pages.end()) return *found->second;
  }
  const std::lock_guard lock(shard.mutex);
  std::unique_ptr<Page>& page = shard.pages[number];
  if (page == nullptr) page = std::make_unique<Page>();
  return *page;
}

// Cells of an earlier epoch name records that are gone.
void PeerShadow::renew(Page& page) const {
  const uint64_t now = epoch_.load(std::memory_order_relaxed);
  if (page.epoch == now) return;
  page.epoch = now;
  page.writers.fill(0);
  for (auto& cells : page.readers)
    if (cells != nullptr) cells->fill(0);
}

bool PeerShadow::is_before(const PeerAccess& other, unsigned device, const PeerPast* past) const {
  const PeerTask& of = task(launch_of(other.block));
  if (of.device == device) return true;  // accesses of one device are compared elsewhere
  if (past == nullptr) return false;
  return past->tasks.covers(of.queue, of.number) ||
         past->covers(other.block, other.warp, other.stamp);
}

bool PeerShadow::touch_words(Page& page, uint64_t begin, uint64_t end, uint32_t record,
                             const PeerPast* past, PeerRace& race) {
  const PeerAccess& mine = access_of(record);
  const unsigned device = task(launch_of(mine.block)).device;
  Cells* own_reads = nullptr;
  if (!mine.writes) {
    auto& cells = page.readers[device];
    if (cells == nullptr) cells = std::make_unique<Cells>();
    own_reads = cells.get();
  }
  uint32_t harmless = 0;  // a record that is known not to race
  const auto races = [&](uint32_t cell, uint32_t bytes) {
    const uint32_t number = record_of(cell);
    if (number == 0 || number == harmless || (cell & bytes) == 0) return false;
    const PeerAccess& other = access_of(number);
    if ((mine.is_strong && other.is_strong) || is_before(other, device, past)) {
      harmless = number;
      return false;
    }
    race.other = other;
    return true;
  };
  const auto put = [&](uint32_t& cell, uint32_t bytes) {
    cell = record << kMaskBits | bytes | (record_of(cell) == record ? cell & kAllBytes : 0);
  };
  for (uint64_t at = begin & ~uint64_t{3}; at < end; at += 4) {
    uint32_t bytes = kAllBytes;
    if (at < begin) bytes &= kAllBytes << (begin - at) & kAllBytes;
    if (at + 4 > end) bytes &= kAllBytes >> (at + 4 - end);
    const size_t word = at % kPageBytes / 4;
    race.address = std::max(at, begin);
    if (races(page.writers[word], bytes)) return true;
    if (!mine.writes) {
      put((*own_reads)[word], bytes);
      continue;
    }
    for (unsigned other = 0; other < devices_; ++other)
      if (other != device && page.readers[other] != nullptr &&
          races((*page.readers[other])[word], bytes))
        return true;
    put(page.writers[word], bytes);
  }
  return false;
}

bool PeerShadow::touch(uint64_t begin, uint64_t bytes, uint32_t record, const PeerPast* past,
                       PeerRace& race) {
  const uint64_t end = begin + bytes;
  for (uint64_t at = begin; at < end;) {
    const uint64_t next = std::min(end, (at / kPageBytes + 1) * kPageBytes);
    Page& page = page_at(at / kPageBytes);
    const bool raced = [&] {
      const PageLock lock(page.taken);
      renew(page);
      return touch_words(page, at, next, record, past, race);
    }();
    if (raced) return true;
    at = next;
  }
  return false;
}

void PeerShadow::forget(uint64_t begin, uint64_t bytes) {
  for (uint64_t number = begin / kPageBytes; number <= (begin + bytes) / kPageBytes; ++number) {
    Shard& shard = shards_[number % shards_.size()];
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.pages.find(number);
    if (found == shard.pages.end()) continue;
    // Another array may lie in the page, and kernels of other devices may be using it.
    Page& page = *found->second;
    const PageLock page_lock(page.taken);
    const uint64_t from = std::max(begin, number * kPageBytes),
                   to = std::min(begin + bytes, (number + 1) * kPageBytes);
    for (uint64_t at = from; at < to; at += 4) {
      const size_t word = at % kPageBytes / 4;
      page.writers[word] = 0;
      for (auto& cells : page.readers)
        if (cells != nullptr) (*cells)[word] = 0;
    }
  }
}

}  // namespace ridge::observe
