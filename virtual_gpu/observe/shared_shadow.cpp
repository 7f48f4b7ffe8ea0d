#include "virtual_gpu/observe/shared_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::AccessShape;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RIDGE_VECTOR \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), optimize("O3")))
#else
#define RIDGE_VECTOR
#endif

// The readers of a run of words: where somebody else has read since `safe`, the two of them are kept. True
// when every word has two by now.
RIDGE_VECTOR bool add_readers(uint64_t* cells, uint64_t count, uint64_t safe, uint64_t base, uint32_t thread,
                              uint32_t shift) {
  uint64_t alone = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t old = cells[i], me = thread + (i >> shift);
    const uint64_t last = old >> 10 & 1023;
    const uint64_t other = old < safe ? me : last != me ? last : (old & 1023);
    cells[i] = base | me << 10 | other;
    alone |= other == me ? 1 : 0;
  }
  return alone == 0;
}

RIDGE_VECTOR void set_writers(uint64_t* cells, uint64_t count, uint64_t base, uint32_t thread,
                              uint32_t shift) {
  for (uint64_t i = 0; i < count; ++i)
    cells[i] = base | (thread + (i >> shift)) << 10;
}

// Whether a cell of the run is not older than `safe` and of another thread, or of two.
RIDGE_VECTOR bool any_foreign(const uint64_t* cells, uint64_t count, uint64_t safe, uint32_t thread,
                              uint32_t shift, bool readers) {
  uint64_t found = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t me = thread + (i >> shift), cell = cells[i];
    const uint64_t foreign = ((cell >> 10 & 1023) != me) | (readers & ((cell & 1023) != me));
    found |= cell >= safe ? foreign : 0;
  }
  return found != 0;
}

uint64_t at_stamp(uint32_t stamp) {
  return uint64_t{stamp} << Cell::kStampShift;
}

uint32_t thread_of(const Access& access, int lane) {
  return access.warp * 32 + static_cast<uint32_t>(lane);
}

uint64_t address_of(const Access& access, int lane) {
  return access.shape == AccessShape::scattered
             ? access.addresses[lane]
             : access.base + static_cast<uint64_t>(access.stride) * static_cast<uint64_t>(lane);
}

bool is_strong(const Access& access) {
  return access.kind == AccessKind::atomic || access.kind == AccessKind::reduction ||
         access.ordering != machine::Ordering::weak;
}

// Visits the words of [offset, offset + bytes): visit(word, mask of its bytes, bytes before it).
template <class Visit>
bool for_words(uint64_t offset, uint32_t bytes, Visit visit) {
  if (bytes < 4) return visit(offset / 4, ((1u << bytes) - 1) << (offset & 3) & 15, 0);
  for (uint32_t done = 0; done < bytes; done += 4) {
    if (visit((offset + done) / 4, 15u, done)) return true;
  }
  return false;
}

}  // namespace

void SharedShadow::begin(uint32_t bytes, uint32_t warps, bool race, bool uninitialised) {
  suspicions_.clear();
  cleared_sites_.clear();
  race_ = race;
  uninitialised_ = uninitialised;
  const bool anew = clock.begin(warps);
  const uint64_t lines = bytes / kLineBytes + 2;
  if (anew || lines > lines_.size()) {
    lines_.assign(lines, {});
    writers_.assign(race ? lines * kLineWords : 0, 0);
    readers_.assign(race ? lines * kLineWords : 0, 0);
    written_.assign(lines * (kLineBytes / 64), 0);
    last_write_ = 0;
  }
  begin_stamp_ = clock.now();
  std::fill(written_.begin(), written_.end(), 0);
  for (Line& line : lines_)
    line.written = !uninitialised_;
}

bool SharedShadow::line_is_written(uint64_t line) {
  Line& summary = lines_[line];
  if (!summary.written) summary.written = (written_[2 * line] & written_[2 * line + 1]) == ~0ull;
  return summary.written;
}

void SharedShadow::set_written(uint64_t offset, uint64_t bytes) {
  if (bytes < 64 && (offset & 63) + bytes <= 64) {  // what one lane stores
    written_[offset >> 6] |= ((1ull << bytes) - 1) << (offset & 63);
    return;
  }
  while (bytes > 0) {
    const uint64_t bit = offset & 63, here = std::min<uint64_t>(64 - bit, bytes);
    written_[offset >> 6] |= (here == 64 ? ~0ull : (1ull << here) - 1) << bit;
    offset += here;
    bytes -= here;
  }
}

void SharedShadow::land(uint64_t offset, uint64_t bytes) {
  set_written(offset, bytes);
  if (!race_) return;
  const uint64_t end = (offset + bytes + 3) / 4;
  for (uint64_t word = offset / 4; word < end;) {
    const uint64_t next = std::min(end, (word / kLineWords + 1) * kLineWords);
    if (lines_[word / kLineWords].write_stamp >= begin_stamp_)
      std::fill(writers_.begin() + static_cast<ptrdiff_t>(word),
                writers_.begin() + static_cast<ptrdiff_t>(next), 0);
    word = next;
  }
}

bool SharedShadow::written_after(uint64_t offset, uint64_t bytes, uint32_t stamp, Cell& writer,
                                 uint64_t& at) const {
  if (!any_written_after(stamp)) return false;
  const uint64_t end = (offset + bytes + 3) / 4;
  for (uint64_t word = offset / 4; word < end; ++word) {
    if (lines_[word / kLineWords].write_stamp <= stamp) {
      word |= kLineWords - 1;  // the line's last
      continue;
    }
    const Cell cell{writers_[word]};
    if (cell.stamp() <= stamp) continue;
    writer = cell;
    at = word * 4;
    return true;
  }
  return false;
}

void SharedShadow::find_undefined(const Access& access, machine::UndefinedLanes& undefined) const {
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t offset = address_of(access, lane);
    // Aligned, so it never crosses a word of the map.
    const uint64_t all = access.bytes == 32 ? 0xffffffffull : (1ull << access.bytes) - 1;
    const uint64_t bits = written_[offset >> 6] >> (offset & 63);
    if ((bits & all) == all) continue;
    uint32_t missing = 0;
    for (uint32_t k = 0; k < access.bytes; ++k)
      missing |= static_cast<uint32_t>(~written_[(offset + k) >> 6] >> ((offset + k) & 63) & 1) << k;
    if (missing == 0) continue;
    undefined.lanes |= 1u << lane;
    undefined.bytes[lane] = missing;
  }
}

bool SharedShadow::as_run(const Access& access, Run& run) {
  if (access.bytes < 4 || access.shape == AccessShape::scattered || access.stride != access.bytes)
    return false;
  const bool full = access.mask == ~0u;
  const int first = full ? 0 : std::countr_zero(access.mask);
  const int count = full ? 32 : std::popcount(access.mask);  // a call, on plain x86-64
  const uint32_t whole = full ? ~0u : ((1u << count) - 1) << first;
  const uint64_t offset = address_of(access, first);
  if (access.mask != whole || offset % 4 != 0) return false;
  run.shift = access.bytes == 4 ? 0 : access.bytes == 8 ? 1 : access.bytes == 16 ? 2 : 3;
  run.first_word = offset / 4;
  run.words = static_cast<uint64_t>(count) << run.shift;
  run.thread = thread_of(access, first);
  return true;
}

const SharedShadow::Suspicion* SharedShadow::suspicion() const {
  for (const Suspicion& one : suspicions_) {
    if (std::find(cleared_sites_.begin(), cleared_sites_.end(), one.site) == cleared_sites_.end())
      return &one;
  }
  return nullptr;
}

void SharedShadow::suspect(const SharedRace& race, uint32_t site) {
  const auto same = [&](const Suspicion& one) { return one.site == site; };
  if (std::none_of(suspicions_.begin(), suspicions_.end(), same)) suspicions_.push_back({race, site});
}

// Before an atomic of `thread`: when it read the word itself, its read only looked ahead.
void SharedShadow::clear_suspicion(uint64_t word, uint32_t thread) {
  const Cell reader{readers_[word]};
  if (reader.bits == 0 || (reader.thread() != thread && reader.other() != thread)) return;
  if (std::find(cleared_sites_.begin(), cleared_sites_.end(), reader.site()) == cleared_sites_.end())
    cleared_sites_.push_back(reader.site());
}

// Whether a thread's access comes before the write of another is known to be over.
bool SharedShadow::reads_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong,
                                   uint32_t reads, SharedRace& race) {
  const Cell writer{writers_[word]};
  if (writer.stamp() < clock.safe_before(thread / 32) || writer.thread() == thread) return false;
  if ((writer.bytes() & bytes) == 0 || (strong && writer.strong())) return false;
  if (clock.ordered(thread, writer.thread(), writer.stamp())) return false;
  race = {thread, writer.thread(), word * 4, writer.site(), true, false, false};
  if (!writer.strong() || reads == Cell::kUnknownSite) return true;
  suspect(race, reads);
  return false;
}

bool SharedShadow::writes_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong,
                                    uint32_t site, SharedRace& race) {
  if (reads_too_early(word, bytes, thread, strong, Cell::kUnknownSite, race)) return true;
  const Cell reader{readers_[word]};
  const uint32_t safe = clock.safe_before(thread / 32);
  if (reader.stamp() < safe || (reader.bytes() & bytes) == 0 || (strong && reader.strong())) return false;
  uint32_t who = reader.thread();
  bool found = who != thread && !clock.ordered(thread, who, reader.stamp());
  if (!found && reader.other() != who && reader.other() != thread) {
    // When the one before the last reader read is not kept. It was after the last meeting of all threads,
    // unless some of them have met since.
    who = reader.other();
    found = clock.since_all_met(thread / 32, reader.stamp(), who) && clock.seen(thread / 32, who / 32) == safe;
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
                             bool strong, SharedRace& race) {
  const uint32_t safe = clock.safe_before(thread / 32);
  Line& line = lines_[word / kLineWords];
  if (line.write_stamp >= safe && reads_too_early(word, bytes, thread, strong, site, race)) return true;
  if (line.shared_stamp >= safe && bytes == 15) return false;
  const Cell old{readers_[word]};
  const uint32_t now = clock.stamp(thread / 32);
  line.read_stamp = now;
  if (old.stamp() < safe) {
    readers_[word] = Cell::make(now, bytes, strong, site, thread, other).bits;
    return false;
  }
  if (old.bytes() != bytes) {  // parts of a word have one reader here, the last
    readers_[word] = Cell::make(now, bytes, strong, site, thread, thread).bits;
    return false;
  }
  if (old.other() != old.thread()) return false;
  if (other == thread) other = old.thread() != thread ? old.thread() : thread;
  readers_[word] = Cell::make(now, bytes, strong || old.strong(), site, thread, other).bits;
  return false;
}

bool SharedShadow::load_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t other, uint32_t site,
                              bool strong, SharedRace& race) {
  const uint32_t safe = clock.safe_before(thread / 32);
  Line& line = lines_[word / kLineWords];
  uint64_t* const cells = &readers_[word];
  uint64_t differ = 0;
  for (uint32_t i = 1; i < words; ++i)
    differ |= cells[i] ^ cells[0];
  if (line.write_stamp >= safe || differ != 0) {
    for (uint32_t i = 0; i < words; ++i) {
      if (load_word(word + i, 15, thread, other, site, strong, race)) return true;
    }
    return false;
  }
  if (line.shared_stamp >= safe) return false;
  const uint64_t old = cells[0];
  load_word(word, 15, thread, other, site, strong, race);
  if (cells[0] == old) return false;
  for (uint32_t i = 1; i < words; ++i)
    cells[i] = cells[0];
  return false;
}

// False: something may be wrong with one of the words, and nothing was done.
bool SharedShadow::store_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t site, bool strong) {
  const uint32_t safe = clock.safe_before(thread / 32), now = clock.stamp(thread / 32);
  Line& line = lines_[word / kLineWords];
  uint64_t* const cells = &writers_[word];
  if (line.write_stamp >= safe || line.read_stamp >= safe) {
    uint64_t newest = 0;
    for (uint32_t i = 0; i < words; ++i)
      newest = std::max({newest, cells[i], readers_[word + i]});
    if (newest >= at_stamp(safe)) return false;
  }
  line.write_stamp = now;
  const uint64_t cell = Cell::make(now, 15, strong, site, thread, thread).bits;
  for (uint32_t i = 0; i < words; ++i)
    cells[i] = cell;
  return true;
}

bool SharedShadow::load_run(const Run& run, uint32_t site, bool strong, SharedRace& race) {
  const uint32_t safe = clock.safe_before(run.thread / 32), now = clock.stamp(run.thread / 32);
  const uint64_t end = run.first_word + run.words;
  for (uint64_t word = run.first_word; word < end;) {
    Line& line = lines_[word / kLineWords];
    const uint64_t count = std::min(end, (word / kLineWords + 1) * kLineWords) - word;
    const uint32_t thread = run.thread + static_cast<uint32_t>((word - run.first_word) >> run.shift);
    // A lane's first word in a line may be its second or third.
    const auto part = static_cast<uint32_t>((word - run.first_word) & ((1u << run.shift) - 1));
    if (line.write_stamp >= safe &&
        (part != 0 || any_foreign(&writers_[word], count, at_stamp(safe), thread, run.shift, false))) {
      for (uint64_t i = 0; i < count; ++i) {
        const auto lane_thread = run.thread + static_cast<uint32_t>((word + i - run.first_word) >> run.shift);
        if (reads_too_early(word + i, 15, lane_thread, strong, site, race)) return true;
      }
    }
    if (line.shared_stamp < safe) {
      const uint64_t base = Cell::make(now, 15, strong, site, 0, 0).bits;
      const bool all =
          part == 0 && add_readers(&readers_[word], count, at_stamp(safe), base, thread, run.shift);
      if (part != 0) {
        for (uint64_t i = 0; i < count; ++i)
          add_readers(&readers_[word + i], 1, at_stamp(safe), base,
                      thread + static_cast<uint32_t>((part + i) >> run.shift), 0);
      }
      line.read_stamp = now;
      if (all && count == kLineWords) line.shared_stamp = safe;
    }
    word += count;
  }
  return false;
}

bool SharedShadow::load(const Access& access, uint32_t site, const LaneGroups* groups,
                        machine::UndefinedLanes& undefined, SharedRace& race) {
  if (groups != nullptr) return load_groups(access, *groups, site, undefined, race);
  const bool strong = is_strong(access);
  Run run;
  if (as_run(access, run)) {
    if (uninitialised_) {
      const uint64_t last = (run.first_word + run.words - 1) / kLineWords;
      for (uint64_t line = run.first_word / kLineWords; line <= last; ++line) {
        if (lines_[line].written || line_is_written(line)) continue;
        find_undefined(access, undefined);
        break;
      }
    }
    return race_ && load_run(run, site, strong, race);
  }
  const int first = std::countr_zero(access.mask), last = 31 - std::countl_zero(access.mask);
  if (access.shape == AccessShape::uniform) {
    if (uninitialised_ && !line_is_written(access.base / kLineBytes)) find_undefined(access, undefined);
    return race_ && for_words(access.base, access.bytes, [&](uint64_t word, uint32_t bytes, uint32_t) {
             return load_word(word, bytes, thread_of(access, first), thread_of(access, last), site, strong,
                              race);
           });
  }
  bool all_written = true;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t offset = address_of(access, lane);
    const Line& line = lines_[offset / kLineBytes];
    all_written &= line.written || line_is_written(offset / kLineBytes);
    if (!race_) continue;
    const uint32_t thread = thread_of(access, lane);
    if (access.bytes >= 4 && load_same(offset / 4, access.bytes / 4, thread, thread, site, strong)) continue;
    if (access.bytes > 4) {
      if (load_piece(offset / 4, access.bytes / 4, thread, thread, site, strong, race)) return true;
      continue;
    }
    if (for_words(offset, access.bytes, [&](uint64_t word, uint32_t bytes, uint32_t) {
          return load_word(word, bytes, thread, thread, site, strong, race);
        }))
      return true;
  }
  if (!all_written && uninitialised_) find_undefined(access, undefined);
  return false;
}

// Two lanes or threads that store the same value, and a store of what is there already: harmless.
bool SharedShadow::is_harmless(const SharedRace& race, const Access& access, uint32_t site, uint32_t lane,
                               uint32_t byte, const StoredValues& values, const std::byte* window) const {
  if (!race.other_writes || values.op == nullptr || access.kind != AccessKind::store) return false;
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

bool SharedShadow::store_run(const Access& access, const Run& run, uint32_t site, const StoredValues& values,
                             const std::byte* window, SharedRace& race) {
  const bool strong = is_strong(access);
  const uint32_t safe = clock.safe_before(access.warp), now = clock.stamp(access.warp);
  const uint64_t end = run.first_word + run.words, base = Cell::make(now, 15, strong, site, 0, 0).bits;
  for (uint64_t word = run.first_word; race_ && word < end;) {
    Line& line = lines_[word / kLineWords];
    const uint64_t count = std::min(end, (word / kLineWords + 1) * kLineWords) - word;
    const auto part = static_cast<uint32_t>((word - run.first_word) & ((1u << run.shift) - 1));
    const uint32_t first = run.thread + static_cast<uint32_t>((word - run.first_word) >> run.shift);
    const bool look =
        (line.write_stamp >= safe || line.read_stamp >= safe) &&
        (part != 0 || any_foreign(&writers_[word], count, at_stamp(safe), first, run.shift, false) ||
         any_foreign(&readers_[word], count, at_stamp(safe), first, run.shift, true));
    for (uint64_t i = 0; look && i < count; ++i) {
      const uint64_t done = word + i - run.first_word;
      const uint32_t thread = run.thread + static_cast<uint32_t>(done >> run.shift);
      if (writes_too_early(word + i, 15, thread, strong, site, race) &&
          !is_harmless(race, access, site, thread % 32,
                       static_cast<uint32_t>(done & ((1u << run.shift) - 1)) * 4, values, window))
        return true;
    }
    line.write_stamp = now;
    word += count;
  }
  if (race_) set_writers(&writers_[run.first_word], run.words, base, run.thread, run.shift);
  if (uninitialised_) set_written(run.first_word * 4, run.words * 4);
  return false;
}

bool SharedShadow::store(const Access& access, uint32_t site, const LaneGroups* groups,
                         const machine::UndefinedLanes& undefined, const StoredValues& values,
                         const std::byte* window, SharedRace& race) {
  const bool strong = is_strong(access);
  const uint32_t safe = clock.safe_before(access.warp), now = clock.stamp(access.warp);
  last_write_ = now;
  if (undefined.lanes == 0 && access.kind == AccessKind::store) {
    Run run;
    if (as_run(access, run)) return store_run(access, run, site, values, window, race);
    if (groups != nullptr && groups->are_runs)
      return store_groups(access, *groups, site, values, window, race);
  }
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t offset = address_of(access, lane);
    const uint32_t thread = thread_of(access, lane);
    const bool done_at_once = race_ && access.bytes > 4 && access.kind == AccessKind::store &&
                              store_piece(offset / 4, access.bytes / 4, thread, site, strong);
    if (race_ && !done_at_once &&
        for_words(offset, access.bytes, [&](uint64_t word, uint32_t bytes, uint32_t done) {
          Line& line = lines_[word / kLineWords];
          if (access.kind != AccessKind::store) clear_suspicion(word, thread);
          if ((line.write_stamp >= safe || line.read_stamp >= safe) &&
              (writers_[word] >= at_stamp(safe) || readers_[word] >= at_stamp(safe)) &&
              writes_too_early(word, bytes, thread, strong, site, race) &&
              !is_harmless(race, access, site, static_cast<uint32_t>(lane), done, values, window)) {
            race.same_instruction = race.other_writes && race.other_site == site;
            return true;
          }
          line.write_stamp = now;
          // A thread's own plain store stays in sight behind its atomic.
          const Cell old{writers_[word]};
          if (strong && old.stamp() == now && old.thread() == thread && !old.strong()) return false;
          writers_[word] = Cell::make(now, bytes, strong, site, thread, thread).bits;
          return false;
        }))
      return true;
    if (!uninitialised_) continue;
    set_written(offset, access.bytes);
    if (!(undefined.lanes >> lane & 1)) continue;
    for (uint32_t k = 0; k < access.bytes; ++k) {
      if (!(undefined.bytes[lane] >> k & 1)) continue;
      written_[(offset + k) >> 6] &= ~(1ull << ((offset + k) & 63));
      lines_[(offset + k) / kLineBytes].written = false;
    }
  }
  return false;
}

}  // namespace ridge::observe
