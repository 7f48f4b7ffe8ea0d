#include "virtual_gpu/observe/races/shared/shared_shadow.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "virtual_gpu/observe/counts/read_patterns.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::ReadLog;

void SharedShadow::begin(uint32_t bytes, uint32_t warps, bool race, bool uninitialised) {
  suspicions_.clear();
  cleared_sites_.clear();
  race_ = race;
  uninitialised_ = uninitialised;
  clear_copies();
  landings_.begin(warps);
  checked_landing_ = 0;
  const bool anew = clock_.begin(warps);
  const uint64_t lines = bytes / kLineBytes + 2;
  if (anew || lines > lines_.size()) {
    lines_.assign(lines, {});
    writers_.assign(race ? lines * kLineWords : 0, 0);
    readers_.assign(race ? lines * kLineWords : 0, 0);
    written_.assign(lines * (kLineBytes / 64), 0);
    last_write_ = 0;
  }
  begin_stamp_ = clock_.now();
  std::fill(written_.begin(), written_.end(), 0);
  for (Line& line : lines_)
    line.written = !uninitialised_;
  begin_log(lines);
}

bool SharedShadow::line_is_written(uint64_t line) {
  Line& summary = lines_[line];
  if (summary.written) return true;
  if ((written_[2 * line] & written_[2 * line + 1]) != ~0ull) return false;
  summary.written = true;
  if (line < ReadLog::kLines) {
    ReadLog::set(written_lines_, line, 1);
    log_.settled[line / 8] |= static_cast<uint8_t>(log_.unmodified[line / 8] & 1u << line % 8);
  }
  return true;
}

void SharedShadow::clear_written(uint64_t line) {
  lines_[line].written = false;
  if (line >= ReadLog::kLines) return;
  const auto rest = static_cast<uint8_t>(~(1u << line % 8));
  written_lines_[line / 8] &= rest;
  log_.settled[line / 8] &= rest;
  clear_verified();
}

void SharedShadow::set_written(uint64_t offset, uint64_t bytes) {
  if (bytes < 64 && (offset & 63) + bytes <= 64) {  // the store of one lane
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
  if (logs_ && bytes != 0) {
    for (uint64_t line = offset / kLineBytes; line <= (offset + bytes - 1) / kLineBytes; ++line)
      line_is_written(line);
  }
  if (!race_) return;
  if (arriving_lines_ != 0) copy_arrived(offset, bytes);
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
      word |= kLineWords - 1;  // the last word of the line
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

void SharedShadow::find_undefined(const Access& access, UndefinedLanes& undefined) const {
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

// Checks all lanes, complete lines first.
bool SharedShadow::are_written(const Access& access, const LaneGroups* groups) {
  if (groups != nullptr) return are_written(*groups, access.first / 4);
  Run run;
  if (as_run(access, run)) {
    const uint64_t last = (run.first_word + run.words - 1) / kLineWords;
    for (uint64_t line = run.first_word / kLineWords; line <= last; ++line) {
      if (!line_is_written(line)) return false;
    }
    return true;
  }
  if (access.shape == AccessShape::uniform) return line_is_written(access.base / kLineBytes);
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    if (!line_is_written(address_of(access, std::countr_zero(rest)) / kLineBytes)) return false;
  }
  return true;
}

bool SharedShadow::load(const Access& access, uint32_t site, const AccessPattern* pattern,
                        UndefinedLanes& undefined, SharedRace& race) {
  evict_for(access);
  if (arriving_lines_ + held_lines_ != 0 && conflicts_with_copy(access, race)) return true;
  const LaneGroups* const groups = pattern == nullptr ? nullptr : pattern->lane_groups();
  if (uninitialised_ && !are_written(access, groups)) find_undefined(access, undefined);
  if (!race_) return false;
  LogPosition log_position{access.warp, clock_.safe_before(access.warp)};
  return record_readers(access, groups, site, log_position, race);
}

// Updates the readers of a load, and detects its races.
bool SharedShadow::record_readers(const Access& access, const LaneGroups* groups, uint32_t site, LogPosition& log_position,
                                SharedRace& race) {
  if (groups != nullptr) return load_groups(access, *groups, site, log_position, race);
  const bool strong = is_strong(access);
  Run run;
  if (as_run(access, run)) return load_run(run, site, strong, log_position, race);
  const int first = std::countr_zero(access.mask), last = 31 - std::countl_zero(access.mask);
  if (access.shape == AccessShape::uniform) {
    const uint32_t thread = thread_of(access, first), other = thread_of(access, last);
    if (access.bytes >= 4 && access.bytes <= 16 && access.base % access.bytes == 0 &&
        load_same(access.base / 4, access.bytes / 4, thread, other, site, strong, log_position))
      return false;
    return for_words(access.base, access.bytes, [&](uint64_t word, uint32_t bytes, uint32_t) {
      return load_word(word, bytes, thread, other, site, strong, log_position, race);
    });
  }
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t offset = address_of(access, lane);
    const uint32_t thread = thread_of(access, lane);
    if (access.bytes >= 4 && load_same(offset / 4, access.bytes / 4, thread, thread, site, strong, log_position))
      continue;
    if (access.bytes > 4) {
      if (load_piece(offset / 4, access.bytes / 4, thread, thread, site, strong, log_position, race)) return true;
      continue;
    }
    if (for_words(offset, access.bytes, [&](uint64_t word, uint32_t bytes, uint32_t) {
          return load_word(word, bytes, thread, thread, site, strong, log_position, race);
        }))
      return true;
  }
  return false;
}

bool SharedShadow::store(const Access& access, uint32_t site, const AccessPattern* pattern,
                         const UndefinedLanes& undefined, const StoredValues& values,
                         const std::byte* window, SharedRace& race) {
  evict_for(access);
  const bool lands = std::exchange(is_landing_, false);
  if (has_copies() && !lands && conflicts_with_copy(access, race)) return true;
  const bool strong = is_strong(access);
  const uint32_t safe = clock_.safe_before(access.warp), now = clock_.stamp(access.warp);
  last_write_ = now;
  if (undefined.lanes == 0 && access.kind == AccessKind::store) {
    Run run;
    if (as_run(access, run)) return store_run(access, run, site, values, window, race);
    const LaneGroups* const groups = pattern == nullptr ? nullptr : pattern->lane_groups();
    if (groups != nullptr && race_ && pattern->is_distinct && store_apart(access, *pattern)) return false;
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
          // Conflicts of a copy were checked when it was started.
          if (!lands && (line.write_stamp >= safe || line.read_stamp >= safe) &&
              (writers_[word] >= at_stamp(safe) || readers_[word] >= at_stamp(safe)) &&
              writes_too_early(word, bytes, thread, strong, site, race) &&
              !is_harmless(race, access, site, static_cast<uint32_t>(lane), done, values, window)) {
            race.same_instruction = race.other_writes && race.other_site == site;
            return true;
          }
          set_line_written_at(word / kLineWords, now);
          // An atomic does not hide the thread's own plain store.
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
      clear_written((offset + k) / kLineBytes);
    }
  }
  return false;
}

}  // namespace ridge::observe
