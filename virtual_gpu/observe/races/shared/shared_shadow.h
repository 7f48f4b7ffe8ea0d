// Shadow memory of a running block's shared memory: which bytes were written, which thread wrote each word
// last, and which threads read it. It finds uninitialised reads and races in shared memory.
//
// The last writer and the readers of a word are 64-bit cells. The stamp is in the highest bits, so "before the
// last barrier" is one comparison, and zero means long ago. A line of 32 words summarises its cells: nearly
// every access needs only the line.
//
// Nearly all loads read bytes that were written before the last barrier, and their cells expire unused at the
// next barrier. Therefore the machine only records the loads of inner loops in a log (machine::ReadLog), in
// order. The findings do not depend on the log:
// - A load may be recorded when all its bytes are written and all writes to its lines happened before: it can
//   race with no earlier access. The machine knows both from a bit per line (`settled`), which a write clears
//   and which is set again after all warps have synchronised (BlockClock::all_safe).
// - The cells that a load would have left depend on the cells of its lines, on its pattern, and on the clock
//   of its warp at that time. The log records the clock when it may have changed or another warp continues,
//   so barriers of some warps and __syncwarp do not change what is replayed later.
// - Before the readers of a line are examined or changed, the log is replayed if it has a load of the line
//   (`read`). All other operations commute with the log: they touch other cells.
// - A log whose loads all precede the last barrier of all warps is discarded, since cells that old have no
//   effect. Only an atomic needs every reader of a word (clear_suspicion), so kernels with atomics on shared
//   memory have no log.
// - A full log is replayed. A block that replays most of its logs stops logging.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/races/block_clock.h"
#include "virtual_gpu/observe/copies/landed_copies.h"
#include "virtual_gpu/observe/races/lane_groups.h"
#include "virtual_gpu/observe/races/shared/shared_cells.h"
#include "virtual_gpu/observe/uninitialised/undefined_lanes.h"

namespace ridge::observe {

// Two unordered accesses; `first` came first in this execution.
struct SharedRace {
  uint32_t thread = 0, other_thread = 0;
  uint64_t offset = 0;
  uint32_t other_site = Cell::kUnknownSite;
  bool other_writes = false, same_instruction = false;
  bool first_write = false;  // the other access read uninitialised bytes
  // The other access is a copy started at `other_site` that is in flight: it writes here (arrives),
  // or reads (leaves). landed: it has completed, but the thread has not waited for it.
  enum class Copy : uint8_t { none, arrives, leaves, landed } copy = Copy::none;
};

// The values of a store, by lane.
struct StoredValues {
  const machine::MemoryOp* op = nullptr;  // nullptr: unknown
  const std::byte* registers = nullptr;
  const std::vector<bool>* library_sites = nullptr;  // by site: stores of the toolkit's headers
  bool are_of_library(uint32_t site, uint32_t other_site) const {
    return library_sites != nullptr && std::max(site, other_site) < library_sites->size() &&
           (*library_sites)[site] && (*library_sites)[other_site];
  }
  const std::byte* at(uint32_t lane, uint32_t byte) const {
    const machine::RowOffset row = op->values[byte / op->element_bytes];
    if (row == machine::kNoRow) return nullptr;
    return registers + row + lane * op->register_bytes + byte % op->element_bytes;
  }
};

struct AccessPattern;
class AccessPatterns;

class SharedShadow {
 public:
  // `patterns`: of the loads to be logged; nullptr: none are logged.
  explicit SharedShadow(const AccessPatterns* patterns = nullptr)
      : patterns_(patterns), wants_log_(patterns != nullptr) {}

  void begin(uint32_t bytes, uint32_t warps, bool race, bool uninitialised);

  const BlockClock& clock() const { return clock_; }
  // The clock for operations that may advance it.
  BlockClock& advance_clock() {
    log_.warp = machine::ReadLog::kNoWarp;
    return clock_;
  }
  void released(uint32_t warp, const machine::SyncPlace& place);
  void acquired(uint32_t warp, uint32_t mask, const machine::SyncPlace& place);
  void warp_synchronized(uint32_t warp, uint32_t mask, uint32_t live);

  // `site` is the number of the instruction. Returns true with `race` when the access is not
  // ordered with another. `pattern`: set when the access repeats the previous one.
  bool load(const machine::Access& access, uint32_t site, const AccessPattern* pattern,
            UndefinedLanes& undefined, SharedRace& race);
  // `window`: the current content. An atomic counts as a store.
  bool store(const machine::Access& access, uint32_t site, const AccessPattern* pattern,
             const UndefinedLanes& undefined, const StoredValues& values, const std::byte* window,
             SharedRace& race);
  // A load of one line that needs no check: all of it was written long ago, and every word has two
  // readers.
  bool is_fully_written(const machine::Access& access) const {
    if (access.mask != ~0u || access.shape == machine::AccessShape::scattered) return false;
    const uint64_t end = access.base + static_cast<uint64_t>(access.stride) * 31 + access.bytes - 1;
    if (access.base / kLineBytes != end / kLineBytes) return false;
    const Line& line = lines_[end / kLineBytes];
    const uint32_t safe = clock_.safe_before(access.warp);
    return line.written && line.write_stamp < safe && line.shared_stamp >= safe;
  }
  // A repeated ordinary load: returns true when it was recorded in the log, false when nothing was
  // done.
  bool log_load(const machine::Access& access, const AccessPattern& pattern);
  bool logs() const { return logs_; }
  machine::ReadLog& log() { return log_; }
  // Must be called before a pattern is discarded.
  void clear_patterns();
  // The same without a log: true when nothing else must be done.
  bool load_at_once(const machine::Access& access, uint32_t site) {
    if (is_fully_written(access)) return true;
    if (access.shape != machine::AccessShape::uniform || access.bytes < 4 || access.bytes > 16 ||
        access.base % access.bytes != 0 || !lines_[access.base / kLineBytes].written)
      return false;
    const bool full = access.mask == ~0u;
    const auto first = full ? 0 : static_cast<uint32_t>(std::countr_zero(access.mask));
    const auto last = full ? 31 : static_cast<uint32_t>(31 - std::countl_zero(access.mask));
    LogPosition log_position{access.warp, clock_.safe_before(access.warp)};
    return !race_ || load_same(access.base / 4, access.bytes / 4, access.warp * 32 + first,
                               access.warp * 32 + last, site, false, log_position);
  }
  // True when the access should be split into groups.
  static bool wants_groups(const machine::Access& access);
  void find_undefined(const machine::Access& access, UndefinedLanes& undefined) const;
  // The lanes of a load that are not ordered with the preceding plain store, and those stores; only
  // stores with stamp `at`, if given. Changes nothing.
  uint32_t lanes_behind_writers(const machine::Access& access, std::array<Cell, 32>& writers,
                                uint32_t at = 0) const;
  void set_written(uint64_t offset, uint64_t bytes);
  bool is_written(uint64_t offset) const { return (written_[offset >> 6] >> (offset & 63) & 1) != 0; }
  // The bytes of an asynchronous copy are written.
  void land(uint64_t offset, uint64_t bytes);

  // shared_copies.cpp: asynchronous copies in flight (cp.async, TMA). From the start of a copy
  // until a thread has waited for it, no access to its destination and no write to its source is
  // permitted. copy_begins: `thread` starts a copy that will write; true when an earlier access is
  // not ordered before it.
  bool copy_begins(uint64_t offset, uint64_t bytes, uint32_t thread, uint32_t site, SharedRace& race);
  // `thread` starts a copy that will read; true when an earlier store is not ordered before it.
  bool store_begins(uint64_t offset, uint64_t bytes, uint32_t thread, SharedRace& race);
  // cp.async: one copy per lane. Afterwards copy_conflict() tells whether another copy to one of
  // the places is in flight.
  bool copies_begin(const machine::Access& access, uint32_t site, SharedRace& race);
  bool copy_conflict() const { return copy_conflict_; }
  void copies_arrived(const machine::Access& access);
  void mark_arriving(uint64_t offset, uint64_t bytes, uint32_t site);
  void mark_leaving(uint64_t offset, uint64_t bytes, uint32_t site);
  void copy_arrived(uint64_t offset, uint64_t bytes);
  void copy_left(uint64_t offset, uint64_t bytes);
  // True when an access conflicts with a copy in flight or, for the block's own threads, with a
  // completed copy for which they have not waited.
  bool conflicts_with_copy(const machine::Access& access, SharedRace& race, bool own = true);
  // A copy to this place has completed. The first copy to a line is tracked until all warps know of
  // it: every access to the line is checked. A missing wait is usually missing the first time too;
  // later accesses run at full speed.
  void landed(uint64_t offset, uint64_t bytes, uint64_t landing);
  LandedCopies& landings() { return landings_; }
  // After copy_begins() and copies_begin(): a completed copy to one of the places whose completion
  // the starting thread does not know of.
  const Landing* landing_conflict() const { return landing_conflict_; }
  // True when a copy is still writing some of these bytes.
  bool is_arriving(uint64_t offset, uint64_t bytes, SharedRace& race) const;
  bool has_copies() const { return arriving_lines_ + leaving_lines_ + held_lines_ != 0; }
  // Plain reads that are not ordered with an atomic on the same word. Reading a value before an
  // atomic update is a harmless idiom, so they are reported only when no thread that read there
  // continues with the atomic.
  struct RaceSuspicion {
    SharedRace race;  // `thread` is the reader
    uint32_t site = 0;
  };
  const RaceSuspicion* suspicion() const;

  // With race checks: the number of words, and the state of one.
  size_t words() const { return writers_.size(); }
  Cell writer_of(uint64_t word) const { return {writers_[word]}; }
  Cell reader_of(uint64_t word) const { return {readers_[word]}; }
  // The last writer of a word in [offset, offset + bytes) whose store is by a thread and newer than
  // `stamp`.
  bool written_after(uint64_t offset, uint64_t bytes, uint32_t stamp, Cell& writer, uint64_t& at) const;
  // True when any thread's store is newer than `stamp`: usually decides for all runs of a copy at
  // once.
  bool any_written_after(uint32_t stamp) const { return race_ && last_write_ > stamp; }

 private:
  // The clock of a warp at an access; `now` is computed on demand.
  struct LogPosition {
    uint32_t warp = 0, safe = 0, now = 0;
  };
  uint32_t stamp_of(LogPosition& log_position) {
    if (log_position.now == 0) log_position.now = clock_.stamp(log_position.warp);
    return log_position.now;
  }
  struct Line {
    uint32_t write_stamp = 0, read_stamp = 0;
    uint32_t shared_stamp = 0;  // since then every word has two unordered readers
    bool written = false;       // all bytes are written
  };
  static constexpr uint64_t kLineBytes = 128, kLineWords = 32;
  // The copies in flight on a line: one bit per word.
  struct Busy {
    uint32_t arriving = 0, leaving = 0;
    uint32_t arriving_site = 0, leaving_site = 0;  // of the latest copy
    // The line's stamp, which is kArriving during the copy.
    uint32_t write_stamp = 0;
    uint32_t landed = 0;                           // words that the copies `landing` have written
    uint64_t landing = 0;
    // The line is, or was, tracked until all warps know of the completion.
    bool is_held = false, was_held = false;
  };
  // Later than any stamp: forces a check of every access.
  static constexpr uint32_t kArriving = ~0u;

  // Consecutive words, `1 << shift` per lane.
  struct Run {
    uint64_t first_word = 0, words = 0;
    uint32_t shift = 0, thread = 0;  // of the first lane
  };
  static bool as_run(const machine::Access& access, Run& run);
  bool line_is_written(uint64_t line);
  void clear_written(uint64_t line);
  bool are_written(const machine::Access& access, const LaneGroups* groups);
  bool record_readers(const machine::Access& access, const LaneGroups* groups, uint32_t site, LogPosition& log_position,
                    SharedRace& race);
  bool load_run(const Run& run, uint32_t site, bool strong, LogPosition& log_position, SharedRace& race);
  bool store_run(const machine::Access& access, const Run& run, uint32_t site, const StoredValues& values,
                 const std::byte* window, SharedRace& race);
  void mark_written(const Run& run, uint64_t cell, uint32_t now, bool are_written);
  bool load_groups(const machine::Access& access, const LaneGroups& groups, uint32_t site, LogPosition& log_position,
                   SharedRace& race);
  bool are_written(const LaneGroups& groups, uint64_t base);
  bool store_groups(const machine::Access& access, const LaneGroups& groups, uint32_t site,
                    const StoredValues& values, const std::byte* window, SharedRace& race);
  Run run_of(const machine::Access& access, const LaneGroup& group) const;
  // Words of one line that `thread` reads, and `other` of the same warp. Returns true when they
  // were marked at once: there was no write to the line since the last synchronisation, and no read
  // of these words.
  bool load_same(uint64_t word, uint32_t words, uint32_t thread, uint32_t other, uint32_t site, bool strong,
                 LogPosition& log_position) {
    const uint32_t safe = log_position.safe;
    Line& line = lines_[word / kLineWords];
    if (line.write_stamp >= safe) return false;
    if (line.shared_stamp >= safe) return true;
    const uint64_t oldest = uint64_t{safe} << Cell::kStampShift;
    for (uint32_t k = 0; k < words; ++k) {
      if (readers_[word + k] >= oldest) return false;
    }
    const uint32_t now = stamp_of(log_position);
    line.read_stamp = now;
    const uint64_t cell = Cell::make(now, 15, strong, site, thread, other).bits;
    for (uint32_t k = 0; k < words; ++k)
      readers_[word + k] = cell;
    return true;
  }
  bool load_word(uint64_t word, uint32_t bytes, uint32_t thread, uint32_t other, uint32_t site, bool strong,
                 LogPosition& log_position, SharedRace& race);
  // The words of one lane's vector, in one line and nearly always with the same history: handled
  // together.
  bool load_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t other, uint32_t site, bool strong,
                  LogPosition& log_position, SharedRace& race);
  bool store_apart(const machine::Access& access, const AccessPattern& pattern);
  bool store_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t site, bool strong);
  // `reads`: the site of the read; kUnknownSite for a write.
  bool reads_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong, uint32_t reads,
                       SharedRace& race);
  bool writes_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong, uint32_t site,
                        SharedRace& race);
  bool is_harmless(const SharedRace& race, const machine::Access& access, uint32_t site, uint32_t lane,
                   uint32_t byte, const StoredValues& values, const std::byte* window) const;

  void suspect(const SharedRace& race, uint32_t site);
  void clear_suspicion(uint64_t word, uint32_t thread);

  // Defined in shared_log.cpp.
  void replay();  // applies all entries of the log
  void begin_log(uint64_t lines);
  void drop_log();
  void open_log(uint32_t warp);
  void clear_verified();
  void mark_all_unmodified();
  bool are_over(uint64_t first_line, uint64_t count, uint32_t warp);
  bool reads_written_bytes(const machine::Access& access, const AccessPattern& pattern);
  void evict_for(const machine::Access& access);
  void on_evict(uint64_t begin, uint64_t end);
  void clear_copies();
  void protect_line(uint64_t line);
  void unprotect_line(uint64_t line);
  void release_line(uint64_t line);
  bool conflicts_with_landing(uint64_t line, uint32_t words, uint32_t warp);
  // Clears words from one member of the lines' Busy; calls `emptied(line)` when none is left there.
  template <class OnEmpty>
  void take_off(uint64_t offset, uint64_t bytes, uint32_t Busy::*side, const OnEmpty& on_empty);
  bool begins_too_early(uint64_t offset, uint64_t bytes, uint64_t bytes_of_thread, uint32_t thread,
                        uint32_t site, SharedRace& race);
  void set_line_written_at(uint64_t line, uint32_t now);
  void after_synchronization();

  BlockClock clock_;
  const AccessPatterns* patterns_;
  machine::ReadLog log_;
  machine::ReadLog::LineBits written_lines_{};  // Line::written
  std::vector<machine::ReadLog::Entry> entries_;
  std::vector<LogPosition> log_positions_;  // referenced by entries of the log
  bool wants_log_ = false, logs_ = false;
  bool is_unmodified_ = true;                 // all lines are unmodified
  bool has_verified_ = false;                 // ReadLog::verified is not empty
  uint32_t newest_read_ = 0;             // stamp of the log's last loads
  uint64_t replayed_ = 0, dropped_ = 0;  // entries, over all blocks so far

  std::vector<RaceSuspicion> suspicions_;  // one per site
  std::vector<uint32_t> cleared_sites_;
  bool race_ = true, uninitialised_ = true;
  uint32_t bytes_ = 0;
  // Smaller stamps are of earlier blocks; last_write_: the newest store.
  uint32_t begin_stamp_ = 0, last_write_ = 0;
  std::vector<Line> lines_;
  std::vector<Busy> busy_;  // by line; empty until the first copy
  uint32_t arriving_lines_ = 0, leaving_lines_ = 0, held_lines_ = 0;
  LandedCopies landings_;
  const Landing* landing_conflict_ = nullptr;
  uint64_t checked_landing_ = 0;  // the last landing that was checked, and the warps that know it
  uint32_t landing_known_to_ = 0;
  bool copy_conflict_ = false;
  bool is_landing_ = false;                   // the following store is by completed copies
  machine::ReadLog::LineBits unmodified_lines_{};  // no copy to them is in flight
  std::vector<uint64_t> writers_, readers_;   // [word]
  std::vector<uint64_t> written_;             // one bit per byte
};

}  // namespace ridge::observe
