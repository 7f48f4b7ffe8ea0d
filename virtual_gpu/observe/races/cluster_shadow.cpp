#include "virtual_gpu/observe/races/cluster_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::SyncPlace;
using Mark = ClusterSide::Mark;

constexpr uint64_t kFlagBytes = 128;  // flags this close are treated as one

void merge_epoch(std::vector<BlockEpoch>& all, const BlockEpoch& epoch) {
  for (BlockEpoch& known : all) {
    if (known.block != epoch.block) continue;
    known.stamp = std::max(known.stamp, epoch.stamp);
    return;
  }
  all.push_back(epoch);
}

// True when two accesses, of which one writes, are worth a report: a plain read that conflicts with
// an atomic or a volatile store may be a deliberate read of a counter or a flag.
bool matters(bool writes, bool strong, bool other_writes, bool other_strong) {
  if (!writes && !other_writes) return false;
  if (strong && other_strong) return false;
  return strong == other_strong || (writes && other_writes);
}

// Calls visit(lane, word, mask of its bytes, bytes of the lane's access before it) until it returns
// true.
template <class Visit>
bool for_words(const Access& access, Visit visit) {
  uint64_t offsets[32];
  machine::fill_addresses(access, offsets);
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t offset = offsets[lane];
    for (uint32_t done = 0; done < access.bytes;) {
      const auto from = static_cast<uint32_t>((offset + done) & 3),
                 count = std::min(4 - from, access.bytes - done);
      if (visit(lane, (offset + done) / 4, ((1u << count) - 1) << from, done)) return true;
      done += count;
    }
  }
  return false;
}

// The lane stores the value that is already there.
bool stores_the_same(const Access& access, uint32_t lane, uint64_t word, uint32_t done,
                     const StoredValues& values, const std::byte* window) {
  if (values.op == nullptr || access.kind != AccessKind::store || access.bytes < 4) return false;
  const std::byte* const mine = values.at(lane, done);
  const uint32_t bytes = std::min(4u, static_cast<uint32_t>(values.op->element_bytes));
  return mine != nullptr && std::memcmp(mine, window + word * 4, bytes) == 0;
}

}  // namespace

void ClusterSide::begin(uint64_t own_block, uint32_t stamp) {
  block = own_block;
  begin_stamp = stamp;
  seen_epochs.clear();
  words.clear();
  peers.clear();
  next_phase = 0;
  has_marks = false;
  synchronized_by_flags = false;
}

uint32_t ClusterSide::clock_of(uint64_t other) const {
  for (const BlockEpoch& known : seen_epochs) {
    if (known.block == other) return known.stamp;
  }
  return 0;
}

void ClusterSide::join(const BlockEpoch& epoch) {
  if (epoch.block != block) merge_epoch(seen_epochs, epoch);
}

ClusterShadow::ReleasedEpochs& ClusterShadow::released_at(const SyncPlace& place) {
  // Both kinds of the cluster's barrier count their phases together.
  const auto kind =
      place.kind == SyncPlace::Kind::cluster_relaxed ? SyncPlace::Kind::cluster_barrier : place.kind;
  const uint64_t key = static_cast<uint64_t>(kind) << 60 ^ place.block << 24 ^ place.id;
  ReleasedEpochs& found = released_[key][place.phase % kPhasesKept];
  if (found.phase != place.phase) {
    found.phase = place.phase;
    found.epochs.clear();
  }
  return found;
}

void ClusterShadow::released(ClusterSide& side, BlockClock& clock, const SyncPlace& place) {
  ReleasedEpochs& to = released_at(place);
  for (const BlockEpoch& known : side.seen_epochs)
    merge_epoch(to.epochs, known);
  merge_epoch(to.epochs, {side.block, clock.publish()});
}

void ClusterShadow::acquired(ClusterSide& side, const SyncPlace& place) {
  for (const BlockEpoch& epoch : released_at(place).epochs)
    side.join(epoch);
  if (place.kind == SyncPlace::Kind::cluster_barrier || place.kind == SyncPlace::Kind::cluster_relaxed) {
    side.next_phase = place.phase + 1;
    for (const EndedBlock& gone : ended_) {
      if (gone.phase <= place.phase) side.join(gone.epoch);
    }
  }
  side.has_marks = std::any_of(side.peers.begin(), side.peers.end(), [&](const ClusterSide::Peer& peer) {
    return peer.stamp > side.clock_of(peer.block);
  });
}

void ClusterShadow::flag_synchronized(ClusterSide& side, BlockClock& clock, const Access& access, bool acquires) {
  uint64_t offsets[32];
  machine::fill_addresses(access, offsets);
  uint64_t last = ~0ull;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const uint64_t flag = offsets[std::countr_zero(rest)] / kFlagBytes;
    if (flag == last) continue;
    last = flag;
    const SyncPlace place{SyncPlace::Kind::grid, access.owner, flag, 0};
    if (acquires)
      acquired(side, place);
    else
      released(side, clock, place);
  }
}

std::optional<ClusterRace> ClusterShadow::peer_access(const Access& access, uint32_t site, ClusterSide& from,
                                                      BlockClock& clock, ClusterSide& owner,
                                                      const SharedShadow& shared, const StoredValues& values,
                                                      const std::byte* window) {
  const bool writes = access.kind != AccessKind::load, strong = is_strong(access);
  if (from.starts_too_early(owner)) {
    uint64_t offsets[32];
    machine::fill_addresses(access, offsets);
    const auto lane = static_cast<uint32_t>(std::countr_zero(access.mask));
    ClusterRace early;
    early.lane = lane;
    early.offset = offsets[lane];
    early.may_not_have_begun = true;
    return early;
  }
  const uint32_t now = clock.stamp(access.warp), over = from.clock_of(owner.block);
  auto own_peer = std::find_if(owner.peers.begin(), owner.peers.end(),
                               [&](const ClusterSide::Peer& peer) { return peer.block == from.block; });
  if (own_peer == owner.peers.end()) own_peer = owner.peers.insert(own_peer, {from.block, 0, 0, 0, 0, false});
  const auto me = static_cast<uint8_t>(own_peer - owner.peers.begin());
  if (owner.words.empty()) owner.words.resize(shared.words());
  std::optional<ClusterRace> race;
  for_words(access, [&](uint32_t lane, uint64_t word, uint32_t bytes, uint32_t done) {
    const uint32_t thread = access.warp * 32 + lane;
    ClusterSide::Word& marks = owner.words[word];
    const auto races_with_owner = [&](Cell cell, bool other_writes) {
      return cell.stamp() >= owner.begin_stamp && cell.stamp() > over && (cell.bytes() & bytes) != 0 &&
             matters(writes, strong, other_writes, cell.strong());
    };
    const auto races_with_peer = [&](const Mark& mark, bool other_writes) {
      if (mark.stamp == 0 || (mark.bytes & bytes) == 0 || !matters(writes, strong, other_writes, mark.strong))
        return false;
      if (mark.peer == me) return mark.thread != thread && !clock.ordered(thread, mark.thread, mark.stamp);
      return mark.stamp > from.clock_of(owner.peers[mark.peer].block);
    };
    const Cell writer = shared.writer_of(word), reader = shared.reader_of(word);
    if (races_with_owner(writer, true))
      race = {lane, word * 4, owner.block, writer.thread(), writer.site(), true};
    else if (writes && races_with_owner(reader, false))
      race = {lane, word * 4, owner.block, reader.thread(), reader.site(), false};
    else if (races_with_peer(marks.writer, true))
      race = {lane, word * 4, owner.peers[marks.writer.peer].block, marks.writer.thread, marks.writer.site,
              true};
    else if (writes && races_with_peer(marks.reader, false))
      race = {lane, word * 4, owner.peers[marks.reader.peer].block, marks.reader.thread, marks.reader.site,
              false};
    if (race && race->other_writes && stores_the_same(access, lane, word, done, values, window)) race.reset();
    if (race) return true;
    (writes ? marks.writer : marks.reader) = {now, static_cast<uint16_t>(thread), static_cast<uint16_t>(site),
                                              me,  static_cast<uint8_t>(bytes),   strong};
    *own_peer = {from.block, now, word * 4, thread, site, writes};
    return false;
  });
  owner.has_marks = true;
  return race;
}

void ClusterShadow::record_peer(const ClusterSide::Peer& peer, ClusterSide& owner) {
  for (ClusterSide::Peer& known : owner.peers) {
    if (known.block != peer.block) continue;
    known = peer;
    return;
  }
  owner.peers.push_back(peer);
}

std::optional<ClusterRace> ClusterShadow::copy_begins(const ClusterSide& from, const ClusterSide& owner,
                                                      const SharedShadow& shared, uint64_t offset,
                                                      uint64_t bytes) {
  ClusterRace race;
  race.offset = offset;
  race.may_not_have_begun = from.starts_too_early(owner);
  if (race.may_not_have_begun) return race;
  const uint32_t over = std::max(from.clock_of(owner.block), owner.begin_stamp - 1);
  for (uint64_t word = offset / 4; word < (offset + bytes + 3) / 4; ++word) {
    const Cell writer = shared.writer_of(word), reader = shared.reader_of(word);
    if (std::max(writer.bits, reader.bits) < at_stamp(over + 1)) continue;
    const bool writes = writer.bits > reader.bits;
    const Cell& other = writes ? writer : reader;
    return ClusterRace{0, word * 4, owner.block, other.thread(), other.site(), writes};
  }
  return std::nullopt;
}

std::optional<ClusterRace> ClusterShadow::own_access(const Access& access, const ClusterSide& owner,
                                                     const StoredValues& values, const std::byte* window) {
  // A block that only arrived at an mbarrier here, or started a copy, has left no marks.
  if (owner.words.empty()) return std::nullopt;
  const bool writes = access.kind != AccessKind::load, strong = is_strong(access);
  std::optional<ClusterRace> race;
  for_words(access, [&](uint32_t lane, uint64_t word, uint32_t bytes, uint32_t done) {
    const ClusterSide::Word& marks = owner.words[word];
    const auto races = [&](const Mark& mark, bool other_writes) {
      return mark.stamp != 0 && (mark.bytes & bytes) != 0 &&
             matters(writes, strong, other_writes, mark.strong) &&
             mark.stamp > owner.clock_of(owner.peers[mark.peer].block);
    };
    const bool by_writer = races(marks.writer, true);
    if (!by_writer && !(writes && races(marks.reader, false))) return false;
    if (by_writer && stores_the_same(access, lane, word, done, values, window)) return false;
    const Mark& mark = by_writer ? marks.writer : marks.reader;
    race = {lane, word * 4, owner.peers[mark.peer].block, mark.thread, mark.site, by_writer};
    return true;
  });
  return race;
}

const ClusterSide::Peer* ClusterShadow::end(const ClusterSide& side, uint32_t stamp) {
  ended_.push_back({side.next_phase, {side.block, stamp}});
  for (const BlockEpoch& known : side.seen_epochs)
    ended_.push_back({side.next_phase, known});
  for (const ClusterSide::Peer& peer : side.peers) {
    if (peer.stamp > side.clock_of(peer.block)) return &peer;
  }
  return nullptr;
}

}  // namespace ridge::observe
