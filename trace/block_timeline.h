// One block of a trace with random access: every record's mark is in memory, and record i is decoded
// from a checkpoint at most kRecordsPerCheckpoint before it, in some microseconds at any index.
//
//   const AccessTrace trace = read_access_trace(file);
//   const BlockTimeline timeline(trace.blocks.front());
//   for (const RecordMark& mark : timeline.marks()) ...      // the time strip
//   const TraceRecord record = timeline.record(123456);      // the picture of one access
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/access_trace.h"
#include "warp_model/shared_memory/shared_access.h"

namespace ridge::trace {

// The cost of an access, and the lowest cost of the same bytes (warp_model/access.h): sectors of 32
// bytes in global and local memory, wavefronts in shared and constant memory. 0, 0 when the record
// is not an access. For runs: the sectors that they touch, or wavefronts of 128 bytes.
struct RecordCost {
  uint32_t actual = 0, ideal = 0;
  bool operator==(const RecordCost&) const = default;
};
// How shared memory serves each instruction of a launch, by index
// (warp_model/shared_memory/shared_access.h).
using SharedAccesses = std::vector<warp_model::SharedAccess>;
SharedAccesses shared_accesses_of(const TraceLaunch& launch);
// How shared memory serves this record. If `all` lacks the instruction, the record's kind decides.
warp_model::SharedAccess shared_access_of(const TraceRecord& record,
                                          std::span<const warp_model::SharedAccess> all);

// Reads record.addresses for scattered records only. `all` as above.
RecordCost cost_of(const TraceRecord& record, std::span<const warp_model::SharedAccess> all = {});
// "sectors", "wavefronts" or "": the unit of the cost of records in this space.
const char* cost_unit(RecordSpace space);

// Summary of a record that needs no decoding: 16 bytes.
struct RecordMark {
  uint32_t instruction = 0;
  uint16_t warp = 0;
  RecordKind kind = RecordKind::load;
  RecordSpace space = RecordSpace::none;
  RecordUnit unit = RecordUnit::threads;
  uint8_t lanes = 0;               // number of active lanes
  uint16_t actual = 0, ideal = 0;  // RecordCost; 65535: that or more
  bool received = false;           // TraceRecord::is_received()
  bool is_access() const { return kind <= RecordKind::reduction; }
  uint32_t waste() const { return actual > ideal ? actual - ideal : 0u; }
};

class RecordCheck;  // trace_sections.h

class BlockTimeline {
 public:
  static constexpr uint64_t kRecordsPerCheckpoint = 256;

  // Reads all records once. They must outlive the timeline.
  explicit BlockTimeline(const BlockRecords& records, std::span<const warp_model::SharedAccess> all = {})
      : BlockTimeline(records, all, nullptr) {}
  // For records that have not been checked: throws std::runtime_error when they are damaged.
  static BlockTimeline checked(const BlockRecords& records, std::span<const warp_model::SharedAccess> all,
                               const RecordCheck& check) {
    return {records, all, &check};
  }

  uint64_t block() const { return records_->block(); }
  uint64_t dropped() const { return records_->dropped(); }
  size_t size() const { return marks_.size(); }
  bool empty() const { return marks_.empty(); }
  std::span<const RecordMark> marks() const { return marks_; }
  const RecordMark& mark(size_t index) const { return marks_[index]; }

  // Throws std::out_of_range when index >= size(). The second form saves allocations.
  TraceRecord record(size_t index) const;
  void record(size_t index, TraceRecord& into) const;

  // Indices of the records of one instruction, or of one warp, ascending; empty when there are
  // none.
  std::span<const uint32_t> of_instruction(uint32_t instruction) const;
  std::span<const uint32_t> of_warp(uint32_t warp) const;
  uint32_t warps() const {
    return static_cast<uint32_t>(by_warp_.starts.empty() ? 0 : by_warp_.starts.size() - 1);
  }

  uint32_t largest_cost() const { return largest_cost_; }  // for the height of the strip
  // The next access after (before) `index` that costs more than its ideal; size() when there is
  // none.
  size_t next_costly(size_t index) const;
  size_t previous_costly(size_t index) const;

 private:
  BlockTimeline(const BlockRecords& records, std::span<const warp_model::SharedAccess> all,
                const RecordCheck* check);
  struct Lists {  // record indices by key; the lists are stored one after the other
    std::vector<uint32_t> starts, indices;
    std::span<const uint32_t> of(uint32_t key) const;
  };
  template <typename Key>
  Lists sort_by(Key key) const;

  const BlockRecords* records_;
  std::vector<RecordMark> marks_;
  std::vector<RecordCursor> checkpoints_;
  Lists by_instruction_, by_warp_;
  uint32_t largest_cost_ = 0;
};

// The timelines of all blocks, built by all host threads.
std::vector<BlockTimeline> timelines_of(const AccessTrace& trace);

// read_access_trace() and timelines_of() in one loop over the records.
struct OpenedTrace {
  std::unique_ptr<AccessTrace> trace;  // at a fixed address: the timelines hold views of it
  std::vector<BlockTimeline> timelines;
};
OpenedTrace open_access_trace(const std::filesystem::path& file);
OpenedTrace open_access_trace(std::span<const uint8_t> bytes);

// The record that the visualizer opens at: that of the trace's scene. Without a scene, or when the
// student's file has no such line: the access with the most waste.
struct SceneMoment {
  size_t block = 0;    // index in AccessTrace::blocks
  size_t record = 0;   // index in that block
  // The record is on the scene's own line; false: the most wasteful access, or the first.
  bool found = false;
  // Same kind and array as in the scene, so that the scene's text applies; true when found.
  bool alike = false;
};
SceneMoment find_scene(const AccessTrace& trace, std::span<const BlockTimeline> timelines);

}  // namespace ridge::trace
