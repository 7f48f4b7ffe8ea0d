#include "virtual_gpu/observe/races/devices/peer_observer.h"

#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/races/devices/peer_text.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessKind;
using machine::Ordering;
using machine::Scope;

namespace {

bool updates(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
}
bool is_synchronizing(const Access& access) {
  return updates(access.kind) || access.ordering != Ordering::weak;
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

void PeerObserver::block_end(uint64_t block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  PastRef learned = past_;
  for (Warp& warp : found->second.warps) {
    settle(block, warp);
    learned = joined(learned, warp.past);
  }
  if (learned != past_) shadow_.keep_learned(task_, learned);
  blocks_.erase(found);
}

PeerObserver::Warp* PeerObserver::warp_at(uint64_t block, uint32_t warp) {
  const auto found = blocks_.find(block);
  return found == blocks_.end() || warp >= found->second.warps.size() ? nullptr
                                                                      : &found->second.warps[warp];
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

void PeerObserver::touch(uint64_t begin, uint64_t bytes, uint32_t record, const Warp& warp,
                         uint32_t lane) {
  PeerRace race;
  if (record != 0 && shadow_.touch(begin, bytes, record, warp.past.get(), race))
    report(race, record, warp, lane);
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
    touch(addresses[first], end - addresses[first], name, *warp, first);
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
    touch(run.begin, run.bytes, name, *warp, lane);
}

std::string PeerObserver::describe_wait(uint64_t block, uint32_t index) const {
  const auto found = blocks_.find(block);
  if (found == blocks_.end() || index >= found->second.warps.size()) return {};
  const Warp& warp = found->second.warps[index];
  const auto& reads = warp.just_read.empty() ? warp.relaxed_reads : warp.just_read;
  return reads.empty() ? std::string() : polled_text(shadow_, reads.back().address, memory_);
}

// Looks among the flags that the reading warp has seen for the one that was meant to order the two.
void PeerObserver::report(const PeerRace& race, uint32_t record, const Warp& warp, uint32_t lane) {
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
  throw_peer_race(shadow_, conflict, memory_);
}

}  // namespace ridge::observe
