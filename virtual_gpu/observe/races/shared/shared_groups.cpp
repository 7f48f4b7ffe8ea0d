// Accesses to shared memory whose lanes form a few groups: checked by group, and by line where a
// line has enough information.
#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/counts/read_patterns.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessShape;

constexpr uint64_t kFewLines = 16;

// True when every word of a line has two readers, of whole words, since `safe`.
bool have_two_readers(const uint64_t* cells, uint64_t count, uint64_t safe) {
  const auto has_two = [safe](uint64_t cell) {
    return cell >= safe && ((cell >> 10 ^ cell) & 1023) != 0 && (cell >> 32 & 15) == 15;
  };
  // Words without a reader are usually at one of the ends.
  for (uint64_t i = 0; i < count / 2; ++i) {
    if (!has_two(cells[i]) || !has_two(cells[count - 1 - i])) return false;
  }
  return true;
}

}  // namespace

bool SharedShadow::wants_groups(const Access& access) {
  Run run;
  return access.shape != AccessShape::uniform && access.bytes >= 4 && std::has_single_bit(access.bytes) &&
         access.first % 4 == 0 && !as_run(access, run);
}

SharedShadow::Run SharedShadow::run_of(const Access& access, const LaneGroup& group) const {
  return {static_cast<uint64_t>(static_cast<int64_t>(access.first / 4) + group.word), group.words,
          static_cast<uint32_t>(std::countr_zero(access.bytes / 4)), access.warp * 32 + group.lane};
}

bool SharedShadow::are_written(const LaneGroups& groups, uint64_t base) {
  for (const LaneGroup& group : groups.groups) {
    const uint64_t word = base + static_cast<uint64_t>(group.word);
    for (uint64_t line = word / kLineWords; line <= (word + group.words - 1) / kLineWords; ++line) {
      if (!lines_[line].written && !line_is_written(line)) return false;
    }
  }
  return true;
}

bool SharedShadow::load_groups(const Access& access, const LaneGroups& groups, uint32_t site, LogPosition& log_position,
                               SharedRace& race) {
  const uint64_t base = access.first / 4;
  const uint64_t first_line = (base + static_cast<uint64_t>(groups.lowest)) / kLineWords;
  const uint64_t last_line = (base + static_cast<uint64_t>(groups.highest)) / kLineWords;
  const bool strong = access.ordering != machine::Ordering::weak;
  const uint32_t safe = log_position.safe;
  const bool few = last_line - first_line < kFewLines;
  bool settled = few;
  for (uint64_t line = first_line; few && line <= last_line; ++line)
    settled &= lines_[line].write_stamp < safe && lines_[line].shared_stamp >= safe;
  if (settled) return false;
  for (const LaneGroup& group : groups.groups) {
    if (group.is_run) {
      if (load_run(run_of(access, group), site, strong, log_position, race)) return true;
      continue;
    }
    const uint32_t thread = access.warp * 32 + group.lane, other = access.warp * 32 + group.other_lane;
    const uint64_t first = base + static_cast<uint64_t>(group.word);
    // A vector is aligned to its size, a power of two, so it is within one line.
    if ((first & (group.words - 1)) == 0 &&
        load_same(first, group.words, thread, other, site, strong, log_position))
      continue;
    if (other == thread) {
      if (load_piece(first, group.words, thread, thread, site, strong, log_position, race)) return true;
      continue;
    }
    for (uint64_t word = first; word < first + group.words; ++word) {
      if (lines_[word / kLineWords].write_stamp >= safe &&
          reads_too_early(word, 15, other, strong, site, race))
        return true;
      if (load_word(word, 15, thread, other, site, strong, log_position, race)) return true;
    }
  }
  for (uint64_t line = first_line; few && line <= last_line; ++line) {
    if (lines_[line].shared_stamp < safe &&
        have_two_readers(&readers_[line * kLineWords], kLineWords, uint64_t{safe} << Cell::kStampShift))
      lines_[line].shared_stamp = safe;
  }
  return false;
}

// A store with arbitrary lane positions, to words without accesses since the warp's last
// synchronisation. Returns false when nothing was done.
bool SharedShadow::store_apart(const Access& access, const AccessPattern& pattern) {
  const uint64_t lowest = access.first - pattern.below;
  const uint64_t first_line = lowest / kLineBytes, last_line = (lowest + pattern.span - 1) / kLineBytes;
  const uint32_t safe = clock_.safe_before(access.warp), now = clock_.stamp(access.warp);
  if (last_line - first_line >= kFewLines * 2) return false;
  bool all_written = true, all_unused = true;
  for (uint64_t line = first_line; line <= last_line; ++line) {
    all_unused &= lines_[line].write_stamp < safe && lines_[line].read_stamp < safe;
    all_written &= lines_[line].written;
  }
  const bool strong = access.ordering != machine::Ordering::weak;
  if (const LaneGroups& groups = *pattern.lane_groups(); groups.are_runs) {
    if (!all_unused) return false;  // store_groups() handles whole runs
    const uint64_t cell = Cell::make(now, 15, strong, pattern.site, 0, 0).bits;
    for (const LaneGroup& group : groups.groups)
      mark_written(run_of(access, group), cell, now, all_written);
    return true;
  }
  const uint32_t words = access.bytes / 4;
  uint64_t newest = 0;
  for (uint32_t rest = all_unused ? 0 : access.mask; rest != 0; rest &= rest - 1) {
    const uint64_t word = address_of(access, std::countr_zero(rest)) / 4;
    for (uint32_t k = 0; k < words; ++k)
      newest = std::max({newest, writers_[word + k], readers_[word + k]});
  }
  if (newest >= at_stamp(safe)) return false;
  const uint64_t base = Cell::make(now, 15, strong, pattern.site, 0, 0).bits;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t offset = address_of(access, lane);
    const uint64_t thread = thread_of(access, lane);
    for (uint32_t k = 0; k < words; ++k)
      writers_[offset / 4 + k] = base | thread << 10 | thread;
    if (lines_[offset / kLineBytes].write_stamp != now) set_line_written_at(offset / kLineBytes, now);
    if (!all_written) set_written(offset, access.bytes);
  }
  return true;
}

bool SharedShadow::store_groups(const Access& access, const LaneGroups& groups, uint32_t site,
                                const StoredValues& values, const std::byte* window, SharedRace& race) {
  for (const LaneGroup& group : groups.groups) {
    if (!store_run(access, run_of(access, group), site, values, window, race)) continue;
    race.same_instruction = race.other_writes && race.other_site == site;
    return true;
  }
  return false;
}

}  // namespace ridge::observe
