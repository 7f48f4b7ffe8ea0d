#include "virtual_gpu/observe/races/devices/peer_observer.h"

#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/races/devices/peer_text.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessKind;
using machine::Ordering;
using machine::Scope;
using machine::SyncPlace;

namespace {

constexpr size_t kMostRelaxedReads = 4096, kMostKnownReads = 16;

bool acquires(Ordering ordering) {
  return ordering == Ordering::acquire || ordering == Ordering::acquire_release;
}
bool releases(Ordering ordering) {
  return ordering == Ordering::release || ordering == Ordering::acquire_release;
}
bool updates(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
}
bool is_synchronizing(const Access& access) {
  return updates(access.kind) || access.ordering != Ordering::weak;
}
bool joins_threads(const SyncPlace& place) {
  return place.kind != SyncPlace::Kind::bulk_group && place.kind != SyncPlace::Kind::warp &&
         place.kind != SyncPlace::Kind::cluster_relaxed;
}

// A vector store is a flag at its first and its last word: the data may come before it.
template <class F>
void for_each_flag(const Access& access, F&& visit) {
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  uint64_t last = ~0ull;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const uint64_t first = addresses[std::countr_zero(rest)] & ~uint64_t{3};
    if (first == last) continue;
    last = first;
    visit(first);
    if (access.bytes > 4) visit(first + access.bytes - 4);
  }
}

}  // namespace

PeerObserver::PeerObserver(PeerShadow& shadow, uint32_t task, PastRef past, uint32_t warps,
                           const machine::DeviceMemory& memory)
    : shadow_(shadow),
      task_(task),
      device_(shadow.task(task).device),
      past_(std::move(past)),
      warps_(std::min(warps, kWarpsPerBlock)),
      memory_(memory) {}

void PeerObserver::block_begin(uint64_t block) {
  Block& own = blocks_[block];
  own.barriers.clear();
  own.warps.assign(warps_, Warp());
  for (uint32_t index = 0; index < warps_; ++index) {
    own.warps[index].past = past_;
    own.warps[index].seen[index] = 1;
  }
}

PeerObserver::Warp* PeerObserver::warp_at(uint64_t block, uint32_t warp) {
  const auto found = blocks_.find(block);
  return found == blocks_.end() || warp >= found->second.warps.size() ? nullptr
                                                                      : &found->second.warps[warp];
}

PeerObserver::BarrierPhase* PeerObserver::barrier_phase(uint64_t block, const SyncPlace& place,
                                                        bool makes) {
  const uint64_t owner = place.kind == SyncPlace::Kind::block_barrier ? block : place.block;
  const auto found = blocks_.find(owner);
  if (found == blocks_.end()) return nullptr;
  auto& phases = found->second.barriers[place.id << 4 | static_cast<uint64_t>(place.kind)];
  for (BarrierPhase& one : phases)
    if (one.phase == place.phase) return &one;
  if (!makes) return nullptr;
  BarrierPhase* oldest = &phases[0];
  for (BarrierPhase& one : phases)
    if (one.phase == ~0ull || (oldest->phase != ~0ull && one.phase < oldest->phase)) oldest = &one;
  *oldest = BarrierPhase();
  oldest->phase = place.phase;
  return oldest;
}

SnapshotRef PeerObserver::snapshot(uint64_t block, Warp& warp) const {
  if (warp.now == nullptr)
    warp.now = std::make_shared<ClockSnapshot>(
        ClockSnapshot{block_key(task_, block), std::make_shared<WarpStamps>(warp.seen), warp.past});
  return warp.now;
}

SnapshotRef PeerObserver::release_snapshot(uint64_t block, uint32_t index, Warp& warp) const {
  ++warp.seen[index];
  warp.now = nullptr;
  return snapshot(block, warp);
}

void PeerObserver::join(uint64_t block, Warp& warp, const SnapshotRef& snapshot, unsigned from) {
  if (snapshot == nullptr) return;
  if (snapshot->block == block_key(task_, block)) {
    raise(warp.seen, *snapshot->stamps);
    warp.now = nullptr;
  }
  PastRef past = joined(warp.past, snapshot->past);
  if (snapshot->block != block_key(task_, block))
    past = joined(past, snapshot->block, snapshot->stamps);
  if (past != warp.past) warp.now = nullptr;
  warp.past = std::move(past);
  if (from != device_) warp.acquired_from = static_cast<uint16_t>(warp.acquired_from | 1u << from);
}

void PeerObserver::acquire(uint64_t block, Warp& warp, const FlagRead& read, Scope scope) {
  if (scope == Scope::block) return;
  shadow_.flags.for_each_write(read.address, [&](const FlagWrite& write) {
    if (write.device == device_)
      join(block, warp, write.to_device, write.device);
    else if (scope == Scope::system)
      join(block, warp, write.to_system, write.device);
  });
}

void PeerObserver::remember(std::vector<FlagRead>& reads, const FlagRead& read) {
  const auto same = std::find_if(reads.begin(), reads.end(), [&](const FlagRead& other) {
    return other.address == read.address && other.instruction == read.instruction;
  });
  if (same != reads.end()) return;
  if (reads.size() >= kMostKnownReads) reads.erase(reads.begin());
  reads.push_back(read);
}

// A load is reported before it is executed: the store whose value it got may come in between.
void PeerObserver::settle(uint64_t block, Warp& warp) {
  if (warp.just_read.empty()) return;
  for (const FlagRead& read : warp.just_read) {
    if (read.acquires) acquire(block, warp, read, read.scope);
    remember(warp.known_reads, read);
    const bool is_known =
        !warp.relaxed_reads.empty() && warp.relaxed_reads.back().address == read.address;
    if (!is_known && warp.relaxed_reads.size() < kMostRelaxedReads)
      warp.relaxed_reads.push_back(read);
  }
  warp.just_read.clear();
}

void PeerObserver::note_flag(const Access& access, Warp& warp) {
  if (access.scope == Scope::block || access.scope == Scope::cluster) return;
  if (access.kind != AccessKind::store && access.kind != AccessKind::reduction) {
    for_each_flag(access, [&](uint64_t address) {
      warp.just_read.push_back(
          {address, access.instruction, acquires(access.ordering), access.scope});
    });
  }
  if (access.kind == AccessKind::load) return;
  FlagWrite write;
  write.block = block_key(task_, access.block);
  write.warp = access.warp;
  write.instruction = access.instruction;
  write.device = device_;
  if (releases(access.ordering)) {
    write.now = write.to_device = release_snapshot(access.block, access.warp, warp);
    if (access.scope == Scope::system) write.to_system = write.now;
    if (access.scope != Scope::system) write.to_system = warp.fenced_for_system;
  } else {
    write.now = snapshot(access.block, warp);
    write.to_device = warp.fenced_for_device;
    if (access.scope == Scope::system) write.to_system = warp.fenced_for_system;
  }
  for_each_flag(access, [&](uint64_t address) { shadow_.flags.write(address, write); });
}

void PeerObserver::fence(uint64_t block, uint32_t index, uint32_t, Scope scope, bool proxy_async) {
  Warp* const warp = warp_at(block, index);
  if (warp == nullptr || proxy_async || scope == Scope::block || scope == Scope::cluster) return;
  settle(block, *warp);
  for (const FlagRead& read : warp->relaxed_reads)
    acquire(block, *warp, read, scope == Scope::system ? read.scope : scope);
  warp->relaxed_reads.clear();
  warp->fenced_for_device = release_snapshot(block, index, *warp);
  if (scope == Scope::system) warp->fenced_for_system = warp->fenced_for_device;
}

void PeerObserver::released(uint64_t block, uint32_t index, uint32_t, const SyncPlace& place) {
  Warp* const warp = warp_at(block, index);
  if (warp == nullptr || !joins_threads(place)) return;
  settle(block, *warp);
  BarrierPhase* const here = barrier_phase(block, place, true);
  if (here == nullptr) return;
  ++warp->seen[index];
  warp->now = nullptr;
  const auto mine = std::find_if(here->blocks.begin(), here->blocks.end(),
                                 [&](const auto& entry) { return entry.first == block; });
  if (mine == here->blocks.end())
    here->blocks.emplace_back(block, warp->seen);
  else
    raise(mine->second, warp->seen);
  here->past = joined(here->past, warp->past);
  for (const FlagRead& read : warp->known_reads)
    remember(here->reads, read);
  here->acquired_from |= warp->acquired_from;
}

void PeerObserver::acquired(uint64_t block, uint32_t index, uint32_t, const SyncPlace& place) {
  Warp* const warp = warp_at(block, index);
  if (warp == nullptr || !joins_threads(place)) return;
  settle(block, *warp);
  const BarrierPhase* const here = barrier_phase(block, place, false);
  if (here == nullptr) return;
  for (const auto& [other, stamps] : here->blocks) {
    if (other == block)
      raise(warp->seen, stamps);
    else
      warp->past =
          joined(warp->past, block_key(task_, other), std::make_shared<WarpStamps>(stamps));
  }
  warp->past = joined(warp->past, here->past);
  for (const FlagRead& read : here->reads)
    remember(warp->known_reads, read);
  warp->acquired_from |= here->acquired_from;
  warp->now = nullptr;
}

uint32_t PeerObserver::record(const Access& access, Warp& warp) {
  const bool strong = is_synchronizing(access);
  const uint32_t traits = static_cast<uint32_t>(access.kind) << 24 | uint32_t{strong} << 20 |
                          static_cast<uint32_t>(access.scope) << 16 | warp.acquired_from;
  Named& named = warp.named[access.instruction % warp.named.size()];
  const uint32_t stamp = warp.seen[access.warp];
  if (named.record != 0 && named.instruction == access.instruction && named.stamp == stamp &&
      named.traits == traits)
    return named.record;
  PeerAccess made;
  made.block = block_key(task_, access.block);
  made.stamp = stamp;
  made.instruction = access.instruction;
  made.warp = static_cast<uint8_t>(access.warp);
  made.writes = access.kind != AccessKind::load;
  made.is_strong = strong && access.scope == Scope::system;
  made.is_flag = strong;
  made.acquired_from = warp.acquired_from;
  named = {access.instruction, stamp, shadow_.record(made), traits};
  return named.record;
}

void PeerObserver::touch(uint64_t begin, uint64_t bytes, uint32_t record, uint64_t block,
                         Warp& warp, uint32_t lane) {
  PeerRace race;
  if (record != 0 && shadow_.touch(begin, bytes, record, warp.past.get(), race))
    report(race, record, block, warp, lane);
}

void PeerObserver::access(const Access& access) {
  if (access.mask == 0) return;
  Warp* const warp = warp_at(access.block, access.warp);
  if (warp == nullptr) return;
  settle(access.block, *warp);
  const uint32_t name = record(access, *warp);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  // Neighbouring lanes together.
  for (uint32_t rest = access.mask; rest != 0;) {
    const auto first = static_cast<uint32_t>(std::countr_zero(rest));
    uint64_t end = addresses[first];
    do {
      end += access.bytes;
      rest &= rest - 1;
    } while (rest != 0 && addresses[std::countr_zero(rest)] == end);
    touch(addresses[first], end - addresses[first], name, access.block, *warp, first);
  }
  if (is_synchronizing(access)) note_flag(access, *warp);
}

void PeerObserver::bulk_access(const machine::BulkAccess& access) {
  if (access.space != machine::AccessSpace::global) return;
  Warp* const warp = warp_at(access.block, access.warp);
  if (warp == nullptr) return;
  settle(access.block, *warp);
  Access like;
  like.instruction = access.instruction;
  like.kind = access.kind == AccessKind::load ? AccessKind::load : AccessKind::store;
  like.block = access.block;
  like.warp = access.warp;
  const uint32_t name = record(like, *warp);
  const uint32_t lane = access.mask == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(access.mask));
  for (const auto& run : access.runs)
    touch(run.begin, run.bytes, name, access.block, *warp, lane);
}

std::string PeerObserver::describe_wait(uint64_t block, uint32_t index) const {
  const auto found = blocks_.find(block);
  if (found == blocks_.end() || index >= found->second.warps.size()) return {};
  const Warp& warp = found->second.warps[index];
  const auto& reads = warp.just_read.empty() ? warp.relaxed_reads : warp.just_read;
  return reads.empty() ? std::string() : polled_text(shadow_, reads.back().address, memory_);
}

// Looks among the flags that the reading warp has seen for the one that was meant to order the two.
void PeerObserver::report(const PeerRace& race, uint32_t record, uint64_t block, Warp& warp,
                          uint32_t lane) {
  PeerConflict conflict;
  conflict.address = race.address;
  conflict.mine = shadow_.access_of(record);
  conflict.other = race.other;
  conflict.lane = lane;
  const auto explain = [&](const FlagRead& read) {
    shadow_.flags.for_each_write(read.address, [&](const FlagWrite& write) {
      if (write.device == device_ || conflict.flag_address != 0) return;
      // A store that releases nothing leaves the stamp of its warp as it was.
      const bool same_warp = write.to_device != write.now && write.block == race.other.block &&
                             write.warp == race.other.warp &&
                             (*write.now->stamps)[write.warp] >= race.other.stamp;
      if (!same_warp && !write.now->covers(race.other.block, race.other.warp, race.other.stamp))
        return;
      conflict.flag_address = read.address;
      conflict.flag_task = launch_of(write.block);
      conflict.flag_written_at = write.instruction;
      conflict.flag_read_at = read.instruction;
      const bool released =
          write.to_system != nullptr &&
          write.to_system->covers(race.other.block, race.other.warp, race.other.stamp);
      const bool released_nearby =
          write.to_device != nullptr &&
          write.to_device->covers(race.other.block, race.other.warp, race.other.stamp);
      conflict.flaw = released          ? read.acquires && read.scope != Scope::system
                                              ? PeerConflict::Flaw::narrow_scope
                                              : PeerConflict::Flaw::not_acquired
                      : released_nearby ? PeerConflict::Flaw::narrow_scope
                                        : PeerConflict::Flaw::not_released;
    });
  };
  for (auto read = warp.known_reads.rbegin(); read != warp.known_reads.rend(); ++read)
    explain(*read);
  (void)block;
  throw_peer_race(shadow_, conflict, memory_);
}

}  // namespace ridge::observe
