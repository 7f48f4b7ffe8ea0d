// Accesses to shared memory by consecutive lanes: checked by line, in loops over a line's words.
#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/races/shared/shared_shadow.h"
#include "virtual_gpu/observe/vector_clones.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessShape;

// Adds a reader to a run of words: if another thread has read since `safe`, both are kept. Returns
// true when every word has two readers.
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

// True when a cell of the run has at least the stamp `safe` and is of another thread, or of two.
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

}  // namespace

bool SharedShadow::as_run(const Access& access, Run& run) {
  if (access.bytes < 4 || access.shape == AccessShape::scattered || access.stride != access.bytes)
    return false;
  const bool full = access.mask == ~0u;
  const int first = full ? 0 : std::countr_zero(access.mask);
  // Popcount is a function call on plain x86-64.
  const int count = full ? 32 : std::popcount(access.mask);
  const uint32_t whole = full ? ~0u : ((1u << count) - 1) << first;
  const uint64_t offset = address_of(access, first);
  if (access.mask != whole || offset % 4 != 0) return false;
  run.shift = access.bytes == 4 ? 0 : access.bytes == 8 ? 1 : access.bytes == 16 ? 2 : 3;
  run.first_word = offset / 4;
  run.words = static_cast<uint64_t>(count) << run.shift;
  run.thread = thread_of(access, first);
  return true;
}

bool SharedShadow::load_run(const Run& run, uint32_t site, bool strong, LogPosition& log_position, SharedRace& race) {
  const uint32_t safe = log_position.safe, now = stamp_of(log_position);
  const uint64_t end = run.first_word + run.words;
  for (uint64_t word = run.first_word; word < end;) {
    Line& line = lines_[word / kLineWords];
    const uint64_t count = std::min(end, (word / kLineWords + 1) * kLineWords) - word;
    const uint32_t thread = run.thread + static_cast<uint32_t>((word - run.first_word) >> run.shift);
    // A lane's words may begin in the line before: the first one here may be its second or third.
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

bool SharedShadow::store_run(const Access& access, const Run& run, uint32_t site, const StoredValues& values,
                             const std::byte* window, SharedRace& race) {
  const bool strong = is_strong(access);
  const uint32_t safe = clock_.safe_before(access.warp), now = clock_.stamp(access.warp);
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
    set_line_written_at(word / kLineWords, now);
    word += count;
  }
  if (race_) set_writers(&writers_[run.first_word], run.words, base, run.thread, run.shift);
  if (uninitialised_) set_written(run.first_word * 4, run.words * 4);
  return false;
}

// Words without accesses since the warp's last synchronisation: their cells are replaced by those
// of its lanes, made from `cell`.
void SharedShadow::mark_written(const Run& run, uint64_t cell, uint32_t now, bool are_written) {
  const uint64_t last_line = (run.first_word + run.words - 1) / kLineWords;
  for (uint64_t line = run.first_word / kLineWords; line <= last_line; ++line) {
    if (lines_[line].write_stamp != now) set_line_written_at(line, now);
  }
  set_writers(&writers_[run.first_word], run.words, cell, run.thread, run.shift);
  if (!are_written) set_written(run.first_word * 4, run.words * 4);
}

}  // namespace ridge::observe
