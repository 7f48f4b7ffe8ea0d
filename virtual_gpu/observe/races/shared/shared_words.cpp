// Checks one word of shared memory, or the few words of one lane's vector, against the last
// accesses.
#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessKind;

const SharedShadow::RaceSuspicion* SharedShadow::suspicion() const {
  for (const RaceSuspicion& one : suspicions_) {
    if (std::find(cleared_sites_.begin(), cleared_sites_.end(), one.site) == cleared_sites_.end())
      return &one;
  }
  return nullptr;
}

void SharedShadow::suspect(const SharedRace& race, uint32_t site) {
  const auto same = [&](const RaceSuspicion& one) { return one.site == site; };
  if (std::none_of(suspicions_.begin(), suspicions_.end(), same)) suspicions_.push_back({race, site});
}

// Called before an atomic of `thread`: a read of the word by the same thread was the harmless
// idiom.
void SharedShadow::clear_suspicion(uint64_t word, uint32_t thread) {
  const Cell reader{readers_[word]};
  if (reader.bits == 0 || (reader.thread() != thread && reader.other() != thread)) return;
  if (std::find(cleared_sites_.begin(), cleared_sites_.end(), reader.site()) == cleared_sites_.end())
    cleared_sites_.push_back(reader.site());
}

uint32_t SharedShadow::lanes_behind_writers(const Access& access, std::array<Cell, 32>& writers,
                                            uint32_t at) const {
  if (!race_) return 0;
  uint32_t lanes = 0;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t offset = address_of(access, lane);
    const uint32_t thread = thread_of(access, lane);
    for (uint64_t word = offset / 4; word <= (offset + access.bytes - 1) / 4; ++word) {
      const Cell writer{writers_[word]};
      const bool is_newer = at != 0 ? writer.stamp() == at : writer.stamp() >= clock_.safe_before(access.warp);
      const uint32_t bytes = access.bytes >= 4 ? 15u : ((1u << access.bytes) - 1) << (offset & 3);
      if (!is_newer || writer.thread() == thread || writer.strong() || (writer.bytes() & bytes) == 0 ||
          (at == 0 && clock_.ordered(thread, writer.thread(), writer.stamp())))
        continue;
      lanes |= 1u << lane;
      writers[static_cast<size_t>(lane)] = writer;
    }
  }
  return lanes;
}

// True when a thread's access is not known to happen before, or after, the write of another.
bool SharedShadow::reads_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong,
                                   uint32_t reads, SharedRace& race) {
  const Cell writer{writers_[word]};
  if (writer.stamp() < clock_.safe_before(thread / 32) || writer.thread() == thread) return false;
  if ((writer.bytes() & bytes) == 0 || (strong && writer.strong())) return false;
  if (clock_.ordered(thread, writer.thread(), writer.stamp())) return false;
  race = {thread, writer.thread(), word * 4, writer.site(), true, false, false};
  if (!writer.strong() || reads == Cell::kUnknownSite) return true;
  suspect(race, reads);
  return false;
}

bool SharedShadow::writes_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong,
                                    uint32_t site, SharedRace& race) {
  if (reads_too_early(word, bytes, thread, strong, Cell::kUnknownSite, race)) return true;
  const Cell reader{readers_[word]};
  const uint32_t safe = clock_.safe_before(thread / 32);
  if (reader.stamp() < safe || (reader.bytes() & bytes) == 0 || (strong && reader.strong())) return false;
  uint32_t who = reader.thread();
  bool found = who != thread && !clock_.ordered(thread, who, reader.stamp());
  if (!found && reader.other() != who && reader.other() != thread) {
    // The time of the read before the last one is not stored. It was after the last synchronisation
    // of all threads, unless some of them have synchronised since.
    who = reader.other();
    found = clock_.since_barrier_of_all(thread / 32, reader.stamp(), who) &&
            clock_.seen(thread / 32, who / 32) == safe;
  }
  if (!found) return false;
  if (strong) {
    suspect({who, thread, word * 4, site, true, false, false}, reader.site());
    return false;
  }
  race = {thread, who, word * 4, reader.site(), false, false, false};
  race.first_write = uninitialised_ && (written_[word / 16] >> (word * 4 % 64) & bytes) == 0;
  return true;
}

bool SharedShadow::load_word(uint64_t word, uint32_t bytes, uint32_t thread, uint32_t other, uint32_t site,
                             bool strong, LogPosition& log_position, SharedRace& race) {
  const uint32_t safe = log_position.safe;
  Line& line = lines_[word / kLineWords];
  if (line.write_stamp >= safe && reads_too_early(word, bytes, thread, strong, site, race)) return true;
  if (line.shared_stamp >= safe && bytes == 15) return false;
  const Cell old{readers_[word]};
  const uint32_t now = stamp_of(log_position);
  line.read_stamp = now;
  if (old.stamp() < safe) {
    readers_[word] = Cell::make(now, bytes, strong, site, thread, other).bits;
    return false;
  }
  if (old.bytes() != bytes) {  // for parts of a word only the last reader is stored
    readers_[word] = Cell::make(now, bytes, strong, site, thread, thread).bits;
    return false;
  }
  if (old.other() != old.thread()) return false;
  if (other == thread) other = old.thread() != thread ? old.thread() : thread;
  readers_[word] = Cell::make(now, bytes, strong || old.strong(), site, thread, other).bits;
  return false;
}

bool SharedShadow::load_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t other, uint32_t site,
                              bool strong, LogPosition& log_position, SharedRace& race) {
  const uint32_t safe = log_position.safe;
  Line& line = lines_[word / kLineWords];
  uint64_t* const cells = &readers_[word];
  uint64_t differ = 0;
  for (uint32_t i = 1; i < words; ++i)
    differ |= cells[i] ^ cells[0];
  if (line.write_stamp >= safe || differ != 0) {
    for (uint32_t i = 0; i < words; ++i) {
      if (load_word(word + i, 15, thread, other, site, strong, log_position, race)) return true;
    }
    return false;
  }
  if (line.shared_stamp >= safe) return false;
  const uint64_t old = cells[0];
  load_word(word, 15, thread, other, site, strong, log_position, race);
  if (cells[0] == old) return false;
  for (uint32_t i = 1; i < words; ++i)
    cells[i] = cells[0];
  return false;
}

// Returns false without an effect when one of the words may be involved in a race.
bool SharedShadow::store_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t site, bool strong) {
  const uint32_t safe = clock_.safe_before(thread / 32), now = clock_.stamp(thread / 32);
  Line& line = lines_[word / kLineWords];
  uint64_t* const cells = &writers_[word];
  if (line.write_stamp >= safe || line.read_stamp >= safe) {
    uint64_t newest = 0;
    for (uint32_t i = 0; i < words; ++i)
      newest = std::max({newest, cells[i], readers_[word + i]});
    if (newest >= at_stamp(safe)) return false;
  }
  set_line_written_at(word / kLineWords, now);
  const uint64_t cell = Cell::make(now, 15, strong, site, thread, thread).bits;
  for (uint32_t i = 0; i < words; ++i)
    cells[i] = cell;
  return true;
}

// Harmless: two lanes or threads that store the same value, and a store of the current value. The
// same for stores of a warp's lanes in the toolkit's headers: CUB has a slot for values that nobody
// will read (WarpExchange::ScatterToStriped).
bool SharedShadow::is_harmless(const SharedRace& race, const Access& access, uint32_t site, uint32_t lane,
                               uint32_t byte, const StoredValues& values, const std::byte* window) const {
  if (!race.other_writes || values.op == nullptr || access.kind != AccessKind::store) return false;
  if (race.other_thread / 32 == access.warp && values.are_of_library(site, race.other_site)) return true;
  const std::byte* mine = values.at(lane, byte);
  if (mine == nullptr) return false;
  const uint32_t bytes = std::min(4u, static_cast<uint32_t>(values.op->element_bytes));
  const uint32_t other_lane = race.other_thread % 32;
  const bool same_access =
      race.other_site == site && race.other_thread / 32 == access.warp && (access.mask >> other_lane & 1) &&
      address_of(access, static_cast<int>(other_lane)) == address_of(access, static_cast<int>(lane));
  if (same_access) return std::memcmp(mine, values.at(other_lane, byte), bytes) == 0;
  return std::memcmp(mine, window + address_of(access, static_cast<int>(lane)) + byte, bytes) == 0;
}

}  // namespace ridge::observe
