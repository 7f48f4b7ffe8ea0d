// What is known of the shared memory of a running block: which bytes were written, who wrote each word last
// and who read it. The checks of uninitialised reads and of races in shared memory.
//
// A word's last writer and its readers are cells of 64 bits; the stamp is in the highest, so that "before the
// last barrier" is one comparison, and all zeros is long ago. A line of 32 words sums them up: nearly every
// access finds there that it need not look at cells at all.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/micro_op.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/block_clock.h"
#include "virtual_gpu/observe/lane_groups.h"

namespace ridge::observe {

// stamp 27 | byte mask 4 | strong 1 | site 11 | thread 10 | other 10
struct Cell {
  uint64_t bits = 0;
  static constexpr uint32_t kUnknownSite = (1u << 11) - 1;
  static constexpr int kStampShift = 36;
  static Cell make(uint32_t stamp, uint32_t bytes, bool strong, uint32_t site, uint32_t thread,
                   uint32_t other) {
    return {uint64_t{stamp} << kStampShift | uint64_t{bytes} << 32 | uint64_t{strong} << 31 |
            uint64_t{site} << 20 | uint64_t{thread} << 10 | other};
  }
  uint32_t stamp() const { return static_cast<uint32_t>(bits >> kStampShift); }
  uint32_t bytes() const { return bits >> 32 & 15; }
  bool strong() const { return bits >> 31 & 1; }
  uint32_t site() const { return bits >> 20 & kUnknownSite; }
  uint32_t thread() const { return bits >> 10 & 1023; }
  uint32_t other() const { return bits & 1023; }  // readers: one before `thread`; the same when there is none
};

// Two accesses that nothing orders; `first` came first in this execution.
struct SharedRace {
  uint32_t thread = 0, other_thread = 0;
  uint64_t offset = 0;
  uint32_t other_site = Cell::kUnknownSite;
  bool other_writes = false, same_instruction = false;
  bool first_write = false;  // the other read what nobody had written yet
};

// What a store is about to store, lane by lane.
struct StoredValues {
  const machine::MemoryOp* op = nullptr;  // nullptr: not known
  const std::byte* registers = nullptr;
  const std::byte* at(uint32_t lane, uint32_t byte) const {
    const machine::RowOffset row = op->values[byte / op->element_bytes];
    if (row == machine::kNoRow) return nullptr;
    return registers + row + lane * op->register_bytes + byte % op->element_bytes;
  }
};

class SharedShadow {
 public:
  BlockClock clock;

  void begin(uint32_t bytes, uint32_t warps, bool race, bool uninitialised);

  // `site` numbers the instruction. True and `race` filled in when nothing orders the access and another.
  // `groups`: the access taken apart, when it repeats the one before and consists of whole words.
  bool load(const machine::Access& access, uint32_t site, const LaneGroups* groups,
            machine::UndefinedLanes& undefined, SharedRace& race);
  // `window`: what is there now. An atomic is a store for this.
  bool store(const machine::Access& access, uint32_t site, const LaneGroups* groups,
             const machine::UndefinedLanes& undefined, const StoredValues& values, const std::byte* window,
             SharedRace& race);
  // A load of one line that needs no look: all of it was written, long ago, and every word has two readers.
  bool is_settled(const machine::Access& access) const {
    if (access.mask != ~0u || access.shape == machine::AccessShape::scattered) return false;
    const uint64_t end = access.base + static_cast<uint64_t>(access.stride) * 31 + access.bytes - 1;
    if (access.base / kLineBytes != end / kLineBytes) return false;
    const Line& line = lines_[end / kLineBytes];
    const uint32_t safe = clock.safe_before(access.warp);
    return line.written && line.write_stamp < safe && line.shared_stamp >= safe;
  }
  // An ordinary load that repeats itself: true when that was all there is to do. False: nothing was done.
  bool load_at_once(const machine::Access& access, uint32_t site) {
    if (is_settled(access)) return true;
    if (access.shape != machine::AccessShape::uniform || access.bytes < 4 || access.bytes > 16 ||
        access.base % access.bytes != 0 || !lines_[access.base / kLineBytes].written)
      return false;
    const bool full = access.mask == ~0u;
    const auto first = full ? 0 : static_cast<uint32_t>(std::countr_zero(access.mask));
    const auto last = full ? 31 : static_cast<uint32_t>(31 - std::countl_zero(access.mask));
    return !race_ || load_same(access.base / 4, access.bytes / 4, access.warp * 32 + first,
                               access.warp * 32 + last, site, false);
  }
  // Whether the access is better taken apart than looked at as a whole.
  static bool wants_groups(const machine::Access& access);
  void find_undefined(const machine::Access& access, machine::UndefinedLanes& undefined) const;
  void set_written(uint64_t offset, uint64_t bytes);
  // A copy that a unit beside the threads made lands: nobody raced with it, as far as we look.
  void land(uint64_t offset, uint64_t bytes);
  // Plain reads that nothing orders with an atomic on the same word. Looking first and updating with an
  // atomic after is a habit that does no harm, so they are reported only when no thread that read there goes
  // on to the atomic.
  struct Suspicion {
    SharedRace race;  // the reader's side: `thread` reads
    uint32_t site = 0;
  };
  const Suspicion* suspicion() const;

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
  struct Line {
    uint32_t write_stamp = 0, read_stamp = 0;
    uint32_t shared_stamp = 0;  // since then, every word has two readers that nothing orders
    bool written = false;       // every byte
  };
  static constexpr uint64_t kLineBytes = 128, kLineWords = 32;

  // Consecutive words, `1 << shift` of them to a lane.
  struct Run {
    uint64_t first_word = 0, words = 0;
    uint32_t shift = 0, thread = 0;  // of the first lane
  };
  static bool as_run(const machine::Access& access, Run& run);
  bool line_is_written(uint64_t line);
  bool load_run(const Run& run, uint32_t site, bool strong, SharedRace& race);
  bool store_run(const machine::Access& access, const Run& run, uint32_t site, const StoredValues& values,
                 const std::byte* window, SharedRace& race);
  bool load_groups(const machine::Access& access, const LaneGroups& groups, uint32_t site,
                   machine::UndefinedLanes& undefined, SharedRace& race);
  bool are_written(const LaneGroups& groups, uint64_t base);
  bool store_groups(const machine::Access& access, const LaneGroups& groups, uint32_t site,
                    const StoredValues& values, const std::byte* window, SharedRace& race);
  Run run_of(const machine::Access& access, const LaneGroup& group) const;
  // Words of one line, which `thread` reads, and `other`, of the same warp. True when they could be marked
  // at once: nobody wrote the line since the last meeting, and these words are not yet read.
  bool load_same(uint64_t word, uint32_t words, uint32_t thread, uint32_t other, uint32_t site, bool strong) {
    const uint32_t warp = thread / 32, safe = clock.safe_before(warp);
    Line& line = lines_[word / kLineWords];
    if (line.write_stamp >= safe) return false;
    if (line.shared_stamp >= safe) return true;
    const uint64_t oldest = uint64_t{safe} << Cell::kStampShift;
    for (uint32_t k = 0; k < words; ++k) {
      if (readers_[word + k] >= oldest) return false;
    }
    const uint32_t now = clock.stamp(warp);
    line.read_stamp = now;
    const uint64_t cell = Cell::make(now, 15, strong, site, thread, other).bits;
    for (uint32_t k = 0; k < words; ++k)
      readers_[word + k] = cell;
    return true;
  }
  bool load_word(uint64_t word, uint32_t bytes, uint32_t thread, uint32_t other, uint32_t site, bool strong,
                 SharedRace& race);
  // The words of one lane's vector, in one line and nearly always with one history: looked at as one.
  bool load_piece(uint64_t word, uint32_t words, uint32_t thread, uint32_t other, uint32_t site, bool strong,
                  SharedRace& race);
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

  std::vector<Suspicion> suspicions_;  // one a site
  std::vector<uint32_t> cleared_sites_;
  bool race_ = true, uninitialised_ = true;
  uint32_t bytes_ = 0;
  uint32_t begin_stamp_ = 0, last_write_ = 0;  // older stamps are of blocks before; the newest store's
  std::vector<Line> lines_;
  std::vector<uint64_t> writers_, readers_;  // [word]
  std::vector<uint64_t> written_;            // a bit for each byte
};

}  // namespace ridge::observe
