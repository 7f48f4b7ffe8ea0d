// The order that flags, fences and barriers give to the warps of a launch: their vector clocks.
#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/races/devices/peer_observer.h"

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

}  // namespace ridge::observe
