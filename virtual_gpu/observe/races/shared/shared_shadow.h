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

// Two accesses that nothing orders; `first` came first in this execution.
struct SharedRace {
  uint32_t thread = 0, other_thread = 0;
  uint64_t offset = 0;
  uint32_t other_site = Cell::kUnknownSite;
  bool other_writes = false, same_instruction = false;
  bool first_write = false;  // the other read what nobody had written yet
  // The other is a copy that was started at `other_site` and is still under way: it writes here, or reads.
  // It has landed, and the thread has not waited for it: `landed`.
  enum class Copy : uint8_t { none, arrives, leaves, landed } copy = Copy::none;
};

// What a store is about to store, lane by lane.
struct StoredValues {
  const machine::MemoryOp* op = nullptr;  // nullptr: not known
  const std::byte* registers = nullptr;
  const std::vector<bool>* library_sites = nullptr;  // by site: its stores are the toolkit's own
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
  // `patterns`: of the loads that are to be logged; nullptr: none are.
  explicit SharedShadow(const AccessPatterns* patterns = nullptr)
      : patterns_(patterns), wants_log_(patterns != nullptr) {}

  void begin(uint32_t bytes, uint32_t warps, bool race, bool uninitialised);

  const BlockClock& clock() const { return clock_; }
  // Whoever may turn the clock.
  BlockClock& advance_clock() {
    log_.warp = machine::ReadLog::kNoWarp;
    return clock_;
  }
  void released(uint32_t warp, const machine::SyncPlace& place);
  void acquired(uint32_t warp, uint32_t mask, const machine::SyncPlace& place);
  void warp_synchronized(uint32_t warp, uint32_t mask, uint32_t live);

  // `site` numbers the instruction. True and `race` filled in when nothing orders the access and another.
  // `pattern`: when the access repeats the one before.
  bool load(const machine::Access& access, uint32_t site, const AccessPattern* pattern,
            UndefinedLanes& undefined, SharedRace& race);
  // `window`: what is there now. An atomic is a store for this.
  bool store(const machine::Access& access, uint32_t site, const AccessPattern* pattern,
             const UndefinedLanes& undefined, const StoredValues& values, const std::byte* window,
             SharedRace& race);
  // A load of one line that needs no look: all of it was written, long ago, and every word has two readers.
  bool is_fully_written(const machine::Access& access) const {
    if (access.mask != ~0u || access.shape == machine::AccessShape::scattered) return false;
    const uint64_t end = access.base + static_cast<uint64_t>(access.stride) * 31 + access.bytes - 1;
    if (access.base / kLineBytes != end / kLineBytes) return false;
    const Line& line = lines_[end / kLineBytes];
    const uint32_t safe = clock_.safe_before(access.warp);
    return line.written && line.write_stamp < safe && line.shared_stamp >= safe;
  }
  // An ordinary load that repeats itself: true when it was put down in the log. False: nothing was done.
  bool log_load(const machine::Access& access, const AccessPattern& pattern);
  bool logs() const { return logs_; }
  machine::ReadLog& log() { return log_; }
  // Before one is forgotten.
  void clear_patterns();
  // The same without a log: true when that was all there is to do.
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
  // Whether the access is better taken apart than looked at as a whole.
  static bool wants_groups(const machine::Access& access);
  void find_undefined(const machine::Access& access, UndefinedLanes& undefined) const;
  // The lanes of a load that nothing orders with the plain store before it, and those stores; only with those
  // of the stamp `at`, if it is given. Changes nothing.
  uint32_t lanes_behind_writers(const machine::Access& access, std::array<Cell, 32>& writers,
                                uint32_t at = 0) const;
  void set_written(uint64_t offset, uint64_t bytes);
  bool is_written(uint64_t offset) const { return (written_[offset >> 6] >> (offset & 63) & 1) != 0; }
  // A copy that a unit beside the threads makes lands.
  void land(uint64_t offset, uint64_t bytes);

  // shared_copies.cpp: copies under way beside the threads (cp.async, TMA). From the moment that one is
  // started until somebody has waited for it, nobody may touch what it writes, or write what it reads.
  // `thread` starts one that will write: true when nothing orders it and an access before it.
  bool copy_begins(uint64_t offset, uint64_t bytes, uint32_t thread, uint32_t site, SharedRace& race);
  // `thread` starts one that will read: true when nothing orders it and a store before it.
  bool store_begins(uint64_t offset, uint64_t bytes, uint32_t thread, SharedRace& race);
  // cp.async: each lane its own. Afterwards copy_conflict() says whether another copy is on the way to one of the
  // places.
  bool copies_begin(const machine::Access& access, uint32_t site, SharedRace& race);
  bool copy_conflict() const { return copy_conflict_; }
  void copies_arrived(const machine::Access& access);
  void mark_arriving(uint64_t offset, uint64_t bytes, uint32_t site);
  void mark_leaving(uint64_t offset, uint64_t bytes, uint32_t site);
  void copy_arrived(uint64_t offset, uint64_t bytes);
  void copy_left(uint64_t offset, uint64_t bytes);
  // Whether an access meets a copy that is under way, or, by the block's own threads, one that has landed and
  // that they have not waited for.
  bool conflicts_with_copy(const machine::Access& access, SharedRace& race, bool own = true);
  // A copy has landed there. The first one to a line is watched until all warps know it: every access to the
  // line takes a look. A wait that is forgotten is mostly forgotten the first time, too, and what comes after
  // goes at full speed.
  void landed(uint64_t offset, uint64_t bytes, uint64_t landing);
  LandedCopies& landings() { return landings_; }
  // After copy_begins() and copies_begin(): the copy that has landed in one of the places, and whose landing
  // the thread that starts this one does not know.
  const Landing* landing_conflict() const { return landing_conflict_; }
  // Whether a copy is still filling some of these bytes.
  bool is_arriving(uint64_t offset, uint64_t bytes, SharedRace& race) const;
  bool has_copies() const { return arriving_lines_ + leaving_lines_ + held_lines_ != 0; }
  // Plain reads that nothing orders with an atomic on the same word. Looking first and updating with an
  // atomic after is a habit that does no harm, so they are reported only when no thread that read there goes
  // on to the atomic.
  struct RaceSuspicion {
    SharedRace race;  // the reader's side: `thread` reads
    uint32_t site = 0;
  };
  const RaceSuspicion* suspicion() const;

  // When races are looked for: the words there are, and what is known of one.
  size_t words() const { return writers_.size(); }
  Cell writer_of(uint64_t word) const { return {writers_[word]}; }
  Cell reader_of(uint64_t word) const { return {readers_[word]}; }
  // The last writer of the words of [offset, offset + bytes) whose store is newer than `stamp`, made by a
  // thread.
  bool written_after(uint64_t offset, uint64_t bytes, uint32_t stamp, Cell& writer, uint64_t& at) const;
  // Whether any thread's store is newer than `stamp`: mostly the answer for all runs of a copy at once.
  bool any_written_after(uint32_t stamp) const { return race_ && last_write_ > stamp; }

 private:
  // The vector clock of a warp at an access; `now` is computed when it is needed.
  struct LogPosition {
    uint32_t warp = 0, safe = 0, now = 0;
  };
  uint32_t stamp_of(LogPosition& log_position) {
    if (log_position.now == 0) log_position.now = clock_.stamp(log_position.warp);
    return log_position.now;
  }
  struct Line {
    uint32_t write_stamp = 0, read_stamp = 0;
    uint32_t shared_stamp = 0;  // since then, every word has two readers that nothing orders
    bool written = false;       // every byte
  };
  static constexpr uint64_t kLineBytes = 128, kLineWords = 32;
  // What copies under way have to do with a line: a bit a word.
  struct Busy {
    uint32_t arriving = 0, leaving = 0;
    uint32_t arriving_site = 0, leaving_site = 0;  // of the last one
    uint32_t write_stamp = 0;                      // the line's, which meanwhile is kArriving
    uint32_t landed = 0;                           // words that the copies `landing` have filled
    uint64_t landing = 0;
    bool is_held = false, was_held = false;  // the line is, or was, watched until all know of the landing
  };
  static constexpr uint32_t kArriving = ~0u;  // later than any stamp: every access takes a look

  // Consecutive words, `1 << shift` of them to a lane.
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
  // Words of one line, which `thread` reads, and `other`, of the same warp. True when they could be marked
  // at once: nobody wrote the line since the last meeting, and these words are not yet read.
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
  // The words of one lane's vector, in one line and nearly always with one history: looked at as one.
  bool load_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t other, uint32_t site, bool strong,
                  LogPosition& log_position, SharedRace& race);
  bool store_apart(const machine::Access& access, const AccessPattern& pattern);
  bool store_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t site, bool strong);
  // `reads`: the site of the read; kUnknownSite when it is a write.
  bool reads_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong, uint32_t reads,
                       SharedRace& race);
  bool writes_too_early(uint64_t word, uint32_t bytes, uint32_t thread, bool strong, uint32_t site,
                        SharedRace& race);
  bool is_harmless(const SharedRace& race, const machine::Access& access, uint32_t site, uint32_t lane,
                   uint32_t byte, const StoredValues& values, const std::byte* window) const;

  void suspect(const SharedRace& race, uint32_t site);
  void clear_suspicion(uint64_t word, uint32_t thread);

  // shared_log.cpp
  void replay();  // enters all of the log
  void begin_log(uint64_t lines);
  void drop_log();
  void open_log(uint32_t warp);
  void clear_verified();
  void be_still();
  bool are_over(uint64_t first_line, uint64_t count, uint32_t warp);
  bool is_sure(const machine::Access& access, const AccessPattern& pattern);
  void evict_for(const machine::Access& access);
  void on_evict(uint64_t begin, uint64_t end);
  void clear_copies();
  void protect_line(uint64_t line);
  void unprotect_line(uint64_t line);
  void release_line(uint64_t line);
  bool conflicts_with_landing(uint64_t line, uint32_t words, uint32_t warp);
  // Takes words off a side of the lines' Busy; `emptied(line)` when none is left there.
  template <class OnEmpty>
  void take_off(uint64_t offset, uint64_t bytes, uint32_t Busy::*side, const OnEmpty& on_empty);
  bool begins_too_early(uint64_t offset, uint64_t bytes, uint64_t bytes_of_thread, uint32_t thread,
                        uint32_t site, SharedRace& race);
  void set_line_written_at(uint64_t line, uint32_t now);
  void after_meeting();

  BlockClock clock_;
  const AccessPatterns* patterns_;
  machine::ReadLog log_;
  machine::ReadLog::LineBits written_lines_{};  // Line::written
  std::vector<machine::ReadLog::Entry> entries_;
  std::vector<LogPosition> log_positions_;  // that entries of the log speak of
  bool wants_log_ = false, logs_ = false;
  bool is_unmodified_ = true;                 // all lines are
  bool has_verified_ = false;                // ReadLog::sure is not empty
  uint32_t newest_read_ = 0;             // stamp of the log's last loads
  uint64_t replayed_ = 0, dropped_ = 0;  // entries, of all blocks so far

  std::vector<RaceSuspicion> suspicions_;  // one a site
  std::vector<uint32_t> cleared_sites_;
  bool race_ = true, uninitialised_ = true;
  uint32_t bytes_ = 0;
  uint32_t begin_stamp_ = 0, last_write_ = 0;  // older stamps are of blocks before; the newest store's
  std::vector<Line> lines_;
  std::vector<Busy> busy_;  // by line; empty until the first copy
  uint32_t arriving_lines_ = 0, leaving_lines_ = 0, held_lines_ = 0;
  LandedCopies landings_;
  const Landing* landing_conflict_ = nullptr;
  uint64_t checked_landing_ = 0;  // the last one that was looked at, and who knows it
  uint32_t landing_known_to_ = 0;
  bool copy_conflict_ = false;
  bool is_landing_ = false;                   // the store that follows is of copies that have arrived
  machine::ReadLog::LineBits unmodified_lines_{};  // no copy is on its way to them
  std::vector<uint64_t> writers_, readers_;   // [word]
  std::vector<uint64_t> written_;             // a bit for each byte
};

}  // namespace ridge::observe
