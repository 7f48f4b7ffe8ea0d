// Loads from shared memory that are recorded in a log instead of being checked: see the header.
#include <algorithm>

#include "virtual_gpu/observe/selective_observer.h"
#include "virtual_gpu/observe/counts/read_patterns.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"
#include "virtual_gpu/observe/vector_clones.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessShape;
using machine::ReadLog;

namespace {

constexpr size_t kEntries = 8192;
// In place of a pattern: `first` is the index of the clock state that follows.
constexpr uint32_t kClockChange = ~0u - 1;
// A block whose loads must mostly be replayed runs faster without a log.
constexpr uint64_t kTrialReads = 16384, kMinReuse = 4;

// The lines of [begin, end), and their bits relative to the first.
struct Span {
  uint64_t line, count;
  Span(uint64_t begin, uint64_t end)
      : line(begin / ReadLog::kLineBytes), count((end - 1) / ReadLog::kLineBytes - line + 1) {}
  bool fits() const { return count <= ReadLog::kMaxLines && line + count <= ReadLog::kLines; }
  uint64_t bits() const { return (uint64_t{2} << (count - 1)) - 1; }
};

// True when all bytes of 32 lanes that read aligned values `stride` apart are set in the map.
RIDGE_VECTOR bool strided_are_written(const uint64_t* map, uint64_t base, uint64_t stride, uint64_t all) {
  uint64_t missing = 0;
  for (uint64_t lane = 0; lane < 32; ++lane) {
    const uint64_t offset = base + stride * lane;
    missing |= ~(map[offset >> 6] >> (offset & 63)) & all;
  }
  return missing == 0;
}

}  // namespace

void SharedShadow::begin_log(uint64_t lines) {
  drop_log();
  logs_ = wants_log_ && lines <= ReadLog::kLines;
  if (logs_ && entries_.empty()) entries_.resize(kEntries);
  log_.next = entries_.data();
  log_.end = logs_ ? entries_.data() + entries_.size() : log_.next;
  std::fill(std::begin(written_lines_), std::end(written_lines_), uninitialised_ ? 0 : 0xff);
  std::fill(std::begin(log_.unmodified), std::end(log_.unmodified), 0xff);
  std::fill(std::begin(unmodified_lines_), std::end(unmodified_lines_), 0xff);
  mark_all_unmodified();
  clear_verified();
}

// All writes happened before for every warp. They may have completed lines.
void SharedShadow::mark_all_unmodified() {
  const uint64_t lines = std::min<uint64_t>(lines_.size(), ReadLog::kLines);
  for (uint64_t line = 0; line < lines; line += ReadLog::kMaxLines) {
    uint64_t changed =
        ~(ReadLog::bits_from(log_.unmodified, line) | ReadLog::bits_from(written_lines_, line)) &
        ((uint64_t{1} << std::min<uint64_t>(ReadLog::kMaxLines, lines - line)) - 1);
    for (; changed != 0; changed &= changed - 1)
      line_is_written(line + static_cast<uint64_t>(std::countr_zero(changed)));
  }
  for (size_t i = 0; i < sizeof log_.unmodified; ++i) {
    log_.unmodified[i] = unmodified_lines_[i];
    log_.settled[i] = written_lines_[i] & unmodified_lines_[i];
  }
  is_unmodified_ = true;
}

void SharedShadow::clear_verified() {
  if (has_verified_) std::fill(std::begin(log_.verified), std::end(log_.verified), 0);
  has_verified_ = false;
}

void SharedShadow::drop_log() {
  log_.next = entries_.data();
  log_.warp = ReadLog::kNoWarp;
  std::fill(std::begin(log_.read), std::end(log_.read), 0);
  log_positions_.clear();
  newest_read_ = 0;
}

// From here on the log contains loads of this warp at its current clock.
void SharedShadow::open_log(uint32_t warp) {
  log_positions_.push_back({warp, clock_.safe_before(warp)});
  newest_read_ = std::max(newest_read_, stamp_of(log_positions_.back()));
  *log_.next++ = {static_cast<uint32_t>(log_positions_.size() - 1), kClockChange};
  log_.warp = warp;
}

bool SharedShadow::log_load(const Access& access, const AccessPattern& pattern) {
  const uint64_t begin = access.first - pattern.below;
  const Span span(begin, begin + pattern.span);
  if (!logs_ || !span.fits()) return false;
  const uint64_t bits = span.bits();
  if ((~ReadLog::bits_from(log_.unmodified, span.line) & bits) != 0 &&
      !are_over(span.line, span.count, access.warp))
    return false;
  if ((~ReadLog::bits_from(written_lines_, span.line) & bits) != 0) {
    for (uint64_t line = race_ ? span.count : 0; line < span.count; ++line)
      line_is_written(span.line +
                      line);  // mark_all_unmodified() is called only when races are checked
    if (!reads_written_bytes(access, pattern)) return false;
  }
  if (log_.end - log_.next < 2) replay();
  if (!logs_) return false;
  if (log_.warp != access.warp) open_log(access.warp);
  ReadLog::set(log_.read, span.line, span.bits());
  *log_.next++ = {static_cast<uint32_t>(access.first), pattern.id};
  return true;
}

// True when all writes to some lines happened before for a warp; lines for which that holds for
// every warp are marked.
bool SharedShadow::are_over(uint64_t first_line, uint64_t count, uint32_t warp) {
  const uint32_t safe = clock_.safe_before(warp), all_safe = clock_.all_safe();
  for (uint64_t line = first_line; line < first_line + count; ++line) {
    if (lines_[line].write_stamp >= safe) return false;
    const bool is_written = line_is_written(line);
    if (lines_[line].write_stamp >= all_safe) continue;
    ReadLog::set(log_.unmodified, line, 1);
    if (is_written) ReadLog::set(log_.settled, line, 1);
  }
  return true;
}

// True when the bytes of the access itself are written, although some of its lines are not written
// completely.
bool SharedShadow::reads_written_bytes(const Access& access, const AccessPattern& pattern) {
  const uint64_t key = ReadLog::key_of(access.first, pattern.id);
  if (log_.verified_entry(key) == key) return true;
  if (access.mask != ~0u || access.shape != AccessShape::strided ||
      !strided_are_written(written_.data(), access.base, static_cast<uint64_t>(access.stride),
                           ~uint64_t{0} >> (64 - access.bytes))) {
    UndefinedLanes undefined;
    find_undefined(access, undefined);
    if (undefined.lanes != 0) return false;
  }
  log_.verified_entry(key) = key;
  has_verified_ = true;
  return true;
}

void SharedShadow::replay() {
  const ReadLog::Entry* const end = log_.next;
  SharedRace none;
  std::array<uint64_t, 32> addresses;
  LogPosition* log_position = nullptr;
  for (const ReadLog::Entry* entry = entries_.data(); race_ && entry < end; ++entry) {
    if (entry->pattern == kClockChange) {
      log_position = &log_positions_[entry->first];
      continue;
    }
    const AccessPattern& pattern = patterns_->by_id(entry->pattern);
    record_readers(pattern.load_at(entry->first, log_position->warp, addresses), pattern.lane_groups(), pattern.site,
                 *log_position, none);
  }
  if (race_) replayed_ += static_cast<uint64_t>(end - entries_.data());
  drop_log();
  if (replayed_ < kTrialReads || replayed_ < dropped_ * kMinReuse) return;
  wants_log_ = logs_ = false;
  log_.end = log_.next;
}

void SharedShadow::clear_patterns() {
  replay();
  clear_verified();
}

// Must be called before the lines of an access are examined or changed.
void SharedShadow::evict_for(const Access& access) {
  if (log_.warp != access.warp) log_.warp = ReadLog::kNoWarp;  // `access` may advance the clock
  if (log_.next == entries_.data()) return;
  const ByteRange bytes = bytes_of(access);
  on_evict(bytes.lowest, bytes.end);
}

void SharedShadow::on_evict(uint64_t begin, uint64_t end) {
  if (log_.next == entries_.data()) return;
  const Span span(begin, end);
  if (!span.fits() || (ReadLog::bits_from(log_.read, span.line) & span.bits()) != 0) replay();
}

void SharedShadow::set_line_written_at(uint64_t line, uint32_t now) {
  if (lines_[line].write_stamp == kArriving)
    busy_[line].write_stamp = now;
  else
    lines_[line].write_stamp = now;
  if (line >= ReadLog::kLines) return;
  const auto rest = static_cast<uint8_t>(~(1u << line % 8));
  log_.unmodified[line / 8] &= rest;
  log_.settled[line / 8] &= rest;
  is_unmodified_ = false;
}

void SharedShadow::released(uint32_t warp, const machine::SyncPlace& place) {
  clock_.released(warp, place);
  log_.warp = ReadLog::kNoWarp;
}

void SharedShadow::acquired(uint32_t warp, uint32_t mask, const machine::SyncPlace& place) {
  clock_.acquired(warp, mask, place);
  after_synchronization();
}

void SharedShadow::warp_synchronized(uint32_t warp, uint32_t mask, uint32_t live) {
  clock_.warp_synchronized(warp, mask, live);
  after_synchronization();
}

// Loads before the last synchronisation of all warps need neither a check nor a log.
void SharedShadow::after_synchronization() {
  log_.warp = ReadLog::kNoWarp;
  const bool has_log = log_.next != entries_.data();
  if (!has_log && is_unmodified_) return;
  if (!clock_.all_safe_after(std::min(has_log ? newest_read_ : ~0u, is_unmodified_ ? ~0u : last_write_))) return;
  const uint32_t all_safe = clock_.all_safe();
  if (has_log && all_safe > newest_read_) {
    dropped_ += static_cast<uint64_t>(log_.next - entries_.data());
    drop_log();
  }
  if (!is_unmodified_ && all_safe > last_write_) mark_all_unmodified();
}

}  // namespace ridge::observe
