#include "virtual_gpu/machine/memory/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace ridge::machine {
namespace {

constexpr uint64_t kAlignment = 256, kPage = 4096;
constexpr uint64_t kGuardBytes = 256;  // unaddressable space on either side, at least
constexpr uint64_t kAddressSpaceFactor =
    4;  // freed ranges are reused only after this many capacities are used up
constexpr size_t kRememberedFrees = 4096;
constexpr uint32_t kMaxRanges = 1u << 20;
constexpr uint64_t kSmallRelease = 1u << 16;  // smaller ranges keep their pages
// Allocations of these sizes get pages of 2 MB where they contain whole ones: scattered accesses
// then rarely miss the host's TLB. Larger ones may be touched sparsely, and must not take more
// memory than is touched.
constexpr uint64_t kHugePage = 2u << 20, kLeastHuge = 2 * kHugePage, kMostHuge = 1u << 30;

uint64_t round_up_bytes(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

void use_huge_pages(uint64_t begin, uint64_t bytes) {
  const uint64_t first = round_up_bytes(begin, kHugePage);
  const uint64_t past = (begin + bytes) / kHugePage * kHugePage;
  if (bytes < kLeastHuge || bytes > kMostHuge || past <= first) return;
  madvise(reinterpret_cast<void*>(first), past - first, MADV_HUGEPAGE);
}

void* reserve_pages(uint64_t bytes) {
  void* range =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nullptr : range;
}

}  // namespace

// The live ranges, sorted by address, are read by every host thread without a lock (seqlock): the
// sequence number is odd during a change, and a reader that saw it change retries.
struct DeviceMemory::State {
  uint64_t capacity = 0, reserved = 0, base = 0, arena_bytes = 0;
  std::atomic<uint64_t> in_use{0};
  std::atomic<uint64_t> sequence{0}, generation{1};
  std::atomic<uint32_t> range_count{0};
  std::atomic<uint64_t>* begins = nullptr;  // [kMaxRanges], reserved pages without cost until used
  std::atomic<uint64_t>* ends = nullptr;    // [kMaxRanges]

  mutable std::mutex mutex;  // guards everything below
  std::map<uint64_t, Allocation> live;
  std::deque<Allocation> freed;  // newest last
  struct Arena {
    uint64_t next = 0, end = 0;
    std::multimap<uint64_t, uint64_t> reusable;  // span bytes -> begin
  };
  std::vector<Arena> arenas;
  uint32_t serial = 0;
  uint64_t alignment = kAlignment;
  std::unique_ptr<WrittenMap> written;

  // The address space that an allocation takes, with the unaddressable bytes behind it.
  uint64_t span_of(uint64_t bytes) const {
    return round_up_bytes(std::max<uint64_t>(bytes, 1) + kGuardBytes, alignment);
  }

  void publish(uint64_t begin, uint64_t end) {
    const uint32_t count = range_count.load(std::memory_order_relaxed);
    if (count == kMaxRanges) throw std::runtime_error("more than a million allocations are live: free some");
    uint32_t at = count;
    sequence.fetch_add(1, std::memory_order_acq_rel);
    for (; at > 0 && begins[at - 1].load(std::memory_order_relaxed) > begin; --at)
      move(at - 1, at);
    begins[at].store(begin, std::memory_order_relaxed);
    ends[at].store(end, std::memory_order_relaxed);
    range_count.store(count + 1, std::memory_order_relaxed);
    sequence.fetch_add(1, std::memory_order_release);
  }

  void withdraw(uint64_t begin) {
    const uint32_t count = range_count.load(std::memory_order_relaxed);
    uint32_t at = 0;
    while (at < count && begins[at].load(std::memory_order_relaxed) != begin)
      ++at;
    if (at == count) return;
    sequence.fetch_add(1, std::memory_order_acq_rel);
    for (; at + 1 < count; ++at)
      move(at + 1, at);
    range_count.store(count - 1, std::memory_order_relaxed);
    sequence.fetch_add(1, std::memory_order_release);
    generation.fetch_add(1, std::memory_order_release);
  }

  void move(uint32_t from, uint32_t to) {
    begins[to].store(begins[from].load(std::memory_order_relaxed), std::memory_order_relaxed);
    ends[to].store(ends[from].load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  // The begin of `span` bytes of address space, or 0. Prefers unused addresses, so that a pointer
  // to freed memory stays invalid.
  uint64_t take_span(uint64_t span, Arena& arena) {
    if (arena.next + span <= arena.end) {
      const uint64_t begin = arena.next;
      arena.next += span;
      return begin;
    }
    const auto it = arena.reusable.lower_bound(span);
    if (it == arena.reusable.end()) return 0;
    const auto [available, begin] = *it;
    arena.reusable.erase(it);
    if (available - span >= alignment) arena.reusable.emplace(available - span, begin + span);
    std::erase_if(freed, [&](const Allocation& a) { return a.begin >= begin && a.begin < begin + span; });
    return begin;
  }
};

DeviceMemory::DeviceMemory(uint64_t capacity_bytes, unsigned arenas) : state_(new State) {
  State& s = *state_;
  s.capacity = capacity_bytes;
  for (uint64_t factor = kAddressSpaceFactor; factor >= 1 && s.base == 0; factor /= 2) {
    s.reserved = round_up_bytes(capacity_bytes * factor, 1 << 20) + (1 << 20);
    s.base = reinterpret_cast<uint64_t>(reserve_pages(s.reserved));
  }
  const uint64_t table_bytes = uint64_t{kMaxRanges} * sizeof(std::atomic<uint64_t>);
  void* tables = reserve_pages(2 * table_bytes);
  if (s.base == 0 || tables == nullptr) {
    delete state_;
    throw std::runtime_error(
        "cannot reserve address space for device memory: ask for less, or raise `ulimit -v`");
  }
  s.begins = static_cast<std::atomic<uint64_t>*>(tables);
  s.ends = s.begins + kMaxRanges;
  s.arena_bytes = s.reserved / arenas / kPage * kPage;
  for (unsigned i = 0; i < arenas; ++i) {
    const uint64_t begin = s.base + i * s.arena_bytes;
    s.arenas.push_back({round_up_bytes(begin + kGuardBytes, kAlignment), begin + s.arena_bytes, {}});
  }
  s.written = std::make_unique<WrittenMap>(s.base, s.reserved);
}

DeviceMemory::~DeviceMemory() {
  munmap(reinterpret_cast<void*>(state_->base), state_->reserved);
  munmap(static_cast<void*>(state_->begins), 2 * uint64_t{kMaxRanges} * sizeof(std::atomic<uint64_t>));
  delete state_;
}

void DeviceMemory::give_each_its_own_pages() {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (s.serial != 0) throw std::logic_error("memory has been allocated already");
  s.alignment = kPage;
  for (State::Arena& arena : s.arenas)
    arena.next = round_up_bytes(arena.next, kPage);
}

std::optional<uint64_t> DeviceMemory::allocate(uint64_t bytes, std::string origin, bool host_pinned,
                                               unsigned arena, HostSite made_at) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (bytes > s.capacity || s.in_use.load() + bytes > s.capacity) return std::nullopt;
  const uint64_t span = s.span_of(bytes);
  const uint64_t begin = s.take_span(span, s.arenas[std::min<size_t>(arena, s.arenas.size() - 1)]);
  if (begin == 0) return std::nullopt;
  use_huge_pages(begin, bytes);
  s.in_use += bytes;
  s.live[begin] =
      Allocation{begin, bytes, ++s.serial, std::move(origin), false, host_pinned, std::move(made_at)};
  s.publish(begin, begin + bytes);
  if (host_pinned) record_written(begin, bytes);
  return begin;
}

void DeviceMemory::adopt(uint64_t begin, uint64_t bytes, std::string origin, HostSite made_at) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  s.live[begin] = Allocation{begin, bytes, ++s.serial, std::move(origin), false, true, std::move(made_at)};
  s.publish(begin, begin + bytes);
  record_written(begin, bytes);
}

bool DeviceMemory::release(uint64_t address, std::string by, HostSite freed_at) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  const auto it = s.live.find(address);
  if (it == s.live.end()) return false;
  s.withdraw(address);
  Allocation gone = std::move(it->second);
  s.live.erase(it);
  gone.freed = true;
  gone.freed_by = std::move(by);
  gone.freed_at = std::move(freed_at);
  if (address >= s.base && address < s.base + s.reserved) {
    const uint64_t span = s.span_of(gone.bytes);
    s.in_use -= gone.bytes;
    if (s.written->covers(address, gone.bytes)) s.written->clear(address, gone.bytes);
    s.arenas[arena_of(address)].reusable.emplace(span, address);
    const uint64_t first_page = round_up_bytes(address, 4096), past_page = (address + gone.bytes) / 4096 * 4096;
    if (gone.bytes >= kSmallRelease && past_page > first_page) {
      madvise(reinterpret_cast<void*>(first_page), past_page - first_page, MADV_DONTNEED);
    }
  }
  s.freed.push_back(std::move(gone));
  if (s.freed.size() > kRememberedFrees) s.freed.pop_front();
  return true;
}

std::optional<Allocation> DeviceMemory::find(uint64_t address, uint64_t bytes) const {
  const State& s = *state_;
  const std::lock_guard lock(s.mutex);
  auto it = s.live.upper_bound(address);
  if (it == s.live.begin()) return std::nullopt;
  --it;
  const Allocation& a = it->second;
  const bool inside = address - a.begin < a.bytes && bytes <= a.bytes - (address - a.begin);
  return inside ? std::optional(a) : std::nullopt;
}

std::optional<Allocation> DeviceMemory::nearest(uint64_t address) const {
  const State& s = *state_;
  const std::lock_guard lock(s.mutex);
  const Allocation* best = nullptr;
  uint64_t best_distance = ~0ull;
  const auto consider = [&](const Allocation& a) {
    uint64_t distance = 0;
    if (address < a.begin) distance = a.begin - address;
    if (address >= a.begin + a.bytes) distance = address - (a.begin + a.bytes) + 1;
    if (distance < best_distance) best = &a, best_distance = distance;
  };
  // Freed ranges first, newest first: an address in one was most likely a pointer to it.
  for (auto it = s.freed.rbegin(); it != s.freed.rend(); ++it)
    consider(*it);
  for (const auto& [begin, allocation] : s.live)
    consider(allocation);
  return best == nullptr ? std::nullopt : std::optional(*best);
}

DeviceMemory::Range DeviceMemory::range_of(uint64_t address) const {
  const State& s = *state_;
  for (;;) {
    const uint64_t before = s.sequence.load(std::memory_order_acquire);
    if (before & 1) continue;
    uint32_t low = 0, high = std::min(s.range_count.load(std::memory_order_relaxed), kMaxRanges);
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (s.begins[middle].load(std::memory_order_relaxed) <= address)
        low = middle + 1;
      else
        high = middle;
    }
    Range range;
    if (low > 0)
      range = {s.begins[low - 1].load(std::memory_order_relaxed),
               s.ends[low - 1].load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (s.sequence.load(std::memory_order_relaxed) != before) continue;
    return address >= range.begin && address < range.end ? range : Range{};
  }
}

std::vector<std::pair<uint64_t, uint64_t>> DeviceMemory::live_ranges(std::string_view origin) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const auto& [begin, allocation] : state_->live) {
    if (allocation.origin.starts_with(origin)) ranges.emplace_back(begin, allocation.bytes);
  }
  return ranges;
}

DeviceMemory::Range DeviceMemory::arena_range(unsigned arena) const {
  const uint64_t begin = state_->base + arena * state_->arena_bytes;
  return {begin, begin + state_->arena_bytes};
}

unsigned DeviceMemory::arena_of(uint64_t address) const {
  const State& s = *state_;
  if (address < s.base || address >= s.base + s.arena_bytes * s.arenas.size()) return kNoArena;
  return static_cast<unsigned>((address - s.base) / s.arena_bytes);
}

DeviceMemory::Range DeviceMemory::reserved() const {
  return {state_->base, state_->base + state_->reserved};
}

uint64_t DeviceMemory::generation() const {
  return state_->generation.load(std::memory_order_acquire);
}
uint64_t DeviceMemory::bytes_in_use() const {
  return state_->in_use.load();
}

WrittenMap& DeviceMemory::written() const {
  return *state_->written;
}
void DeviceMemory::record_written(uint64_t begin, uint64_t bytes) {
  if (bytes > 0 && state_->written->covers(begin, bytes)) state_->written->set(begin, bytes);
}
void DeviceMemory::record_copied(uint64_t to, uint64_t from, uint64_t bytes) {
  if (bytes == 0 || !state_->written->covers(to, bytes)) return;
  if (state_->written->covers(from, bytes))
    state_->written->copy(to, from, bytes);
  else
    state_->written->set(to, bytes);
}

}  // namespace ridge::machine
