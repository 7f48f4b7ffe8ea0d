#include "trace/block_timeline.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "trace/trace_sections.h"
#include "warp_model/access.h"

namespace ridge::trace {
namespace {

using warp_model::SharedAccess;

uint32_t narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
}

// Sectors of runs at a constant stride. The position of a run in its sector repeats after at most
// 32 runs.
uint64_t sectors_of(const RecordRuns& runs) {
  const auto sectors = [&](uint64_t run) {
    const uint64_t begin = runs.begin_of(run);
    return (begin % warp_model::kSectorBytes + runs.bytes + warp_model::kSectorBytes - 1) /
           warp_model::kSectorBytes;
  };
  constexpr uint64_t kPeriod = warp_model::kSectorBytes;
  uint64_t period = 0, rest = 0;
  for (uint64_t run = 0; run < std::min<uint64_t>(runs.count, kPeriod); ++run) {
    period += sectors(run);
    if (run < runs.count % kPeriod) rest += sectors(run);
  }
  return runs.count < kPeriod ? period : runs.count / kPeriod * period + rest;
}

RecordCost cost_of_runs(const TraceRecord& record) {
  const uint64_t bytes = bytes_of(record.runs);
  if (record.space == RecordSpace::shared) {
    const uint32_t wavefronts = narrow(warp_model::unit_wavefronts(bytes));
    return {wavefronts, wavefronts};
  }
  uint64_t sectors = 0;
  for (const RecordRuns& runs : record.runs)
    sectors += sectors_of(runs);
  return {narrow(sectors), narrow((bytes + warp_model::kSectorBytes - 1) / warp_model::kSectorBytes)};
}

// Remembers costs by address pattern. Accesses with the same pattern at different base addresses
// cost the same; a kernel has few patterns, and most records repeat one.
class CostMemory {
 public:
  explicit CostMemory(std::span<const SharedAccess> all) : all_(all) {}

  RecordCost cost(const TraceRecord& record) {
    if (record.shape > RecordShape::strided || !record.is_access()) return cost_of(record, all_);
    // The cost depends on the base address modulo 128 bytes only.
    const Lanes lanes{record.stride, record.mask,  record.bytes, record.base % warp_model::kLineBytes,
                      record.kind,   record.space, record.shape, shared_access_of(record, all_)};
    Known& known = known_[place_of(lanes)];
    if (known.lanes != lanes) known = {lanes, cost_of(record, all_)};
    return known.cost;
  }

 private:
  struct Lanes {
    int64_t stride = 0;
    uint32_t mask = 0, bytes = 0;  // 0: the entry is empty
    uint64_t offset = 0;
    RecordKind kind = RecordKind::load;
    RecordSpace space = RecordSpace::none;
    RecordShape shape = RecordShape::uniform;
    SharedAccess shared = SharedAccess::store;
    bool operator==(const Lanes&) const = default;
  };
  struct Known {
    Lanes lanes;
    RecordCost cost;
  };
  // A quarter of a small cache, and quick to clear for a small block.
  static constexpr int kBits = 9;
  static size_t place_of(const Lanes& lanes) {
    constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
    const uint64_t what = uint64_t{lanes.bytes} << 32 | (lanes.mask ^ lanes.offset << 9);
    const auto how = static_cast<uint64_t>(lanes.kind) << 4 | static_cast<uint64_t>(lanes.space);
    const uint64_t mixed = (what * kSpread ^ static_cast<uint64_t>(lanes.stride) << 8 ^ how) * kSpread;
    return mixed >> (64 - kBits);
  }
  const std::span<const SharedAccess> all_;
  std::array<Known, size_t{1} << kBits> known_{};
};

}  // namespace

SharedAccesses shared_accesses_of(const TraceLaunch& launch) {
  std::vector<std::string_view> texts;
  texts.reserve(launch.instructions.size());
  for (const TraceInstruction& one : launch.instructions)
    texts.push_back(one.text);
  return warp_model::shared_accesses(texts);
}

SharedAccess shared_access_of(const TraceRecord& record, std::span<const SharedAccess> all) {
  const bool is_atomic = record.kind == RecordKind::atomic || record.kind == RecordKind::reduction;
  if (record.instruction >= all.size())
    return is_atomic ? SharedAccess::atomic
           : record.kind == RecordKind::load ? SharedAccess::load
                                             : SharedAccess::store;
  const SharedAccess of_text = all[record.instruction];
  if (is_atomic) return of_text >= SharedAccess::atomic ? of_text : SharedAccess::atomic;
  // ldmatrix is a load, but is served like a store.
  return record.kind == RecordKind::load && of_text == SharedAccess::load ? of_text : SharedAccess::store;
}

RecordCost cost_of(const TraceRecord& record, std::span<const SharedAccess> all) {
  if (!record.is_access() || record.space == RecordSpace::none) return {};
  if (record.shape == RecordShape::runs) return cost_of_runs(record);
  std::array<uint64_t, warp_model::kWarpLanes> lanes;
  const uint64_t* addresses = record.addresses.data();
  if (record.shape != RecordShape::scattered) {
    for (uint64_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] = record.base + static_cast<uint64_t>(record.stride) * lane;
    addresses = lanes.data();
  }
  if (record.space == RecordSpace::global || record.space == RecordSpace::local) {
    const auto cost = record.space == RecordSpace::global
                          ? warp_model::global_cost(addresses, record.mask, record.bytes)
                          : warp_model::local_cost(addresses, record.mask, record.bytes);
    return {cost.sectors, cost.ideal_sectors};
  }
  if (record.space == RecordSpace::constant)
    return {warp_model::constant_wavefronts(addresses, record.mask, record.bytes),
            (record.bytes + warp_model::kBankBytes - 1) / warp_model::kBankBytes};
  const auto cost = warp_model::shared_cost_of(shared_access_of(record, all), addresses, record.mask,
                                               record.bytes);
  return {cost.wavefronts, cost.ideal_wavefronts};
}

const char* cost_unit(RecordSpace space) {
  if (space == RecordSpace::global || space == RecordSpace::local) return "sectors";
  return space == RecordSpace::none ? "" : "wavefronts";
}

BlockTimeline::BlockTimeline(const BlockRecords& records, std::span<const SharedAccess> all,
                             const RecordCheck* check)
    : records_(&records) {
  if (check) check->check_block(records.block());
  marks_.reserve(records.size());
  checkpoints_.reserve(records.size() / kRecordsPerCheckpoint + 1);
  const auto short_of = [](uint32_t value) {
    return static_cast<uint16_t>(std::min<uint32_t>(value, std::numeric_limits<uint16_t>::max()));
  };
  RecordCursor cursor(records);
  TraceRecord record;
  CostMemory costs(all);
  do {
    if (cursor.position() % kRecordsPerCheckpoint == 0) checkpoints_.push_back(cursor);
    if (!cursor.next_brief(record)) break;
    if (check) check->check(record);
    const RecordCost cost = costs.cost(record);
    RecordMark& mark = marks_.emplace_back();
    mark.instruction = record.instruction;
    mark.warp = short_of(record.warp);
    mark.kind = record.kind;
    mark.space = record.space;
    mark.unit = record.unit;
    mark.lanes = static_cast<uint8_t>(warp_model::active_lanes(record.mask));
    mark.actual = short_of(cost.actual);
    mark.ideal = short_of(cost.ideal);
    mark.received = record.is_received();
    largest_cost_ = std::max(largest_cost_, cost.actual);
  } while (true);
  if (check) RecordCheck::check_end(cursor);
  by_instruction_ = sort_by([](const RecordMark& mark) { return mark.instruction; });
  by_warp_ = sort_by([](const RecordMark& mark) { return uint32_t{mark.warp}; });
}

// A counting sort: keys are small numbers.
template <typename Key>
BlockTimeline::Lists BlockTimeline::sort_by(Key key) const {
  Lists lists;
  if (marks_.empty()) return lists;
  uint32_t keys = 0;
  for (const RecordMark& mark : marks_)
    keys = std::max(keys, key(mark) + 1);
  lists.starts.assign(keys + 1, 0);
  for (const RecordMark& mark : marks_)
    ++lists.starts[key(mark) + 1];
  for (size_t k = 1; k < lists.starts.size(); ++k)
    lists.starts[k] += lists.starts[k - 1];
  std::vector<uint32_t> next(lists.starts.begin(), lists.starts.end() - 1);
  lists.indices.resize(marks_.size());
  for (size_t index = 0; index < marks_.size(); ++index)
    lists.indices[next[key(marks_[index])]++] = static_cast<uint32_t>(index);
  return lists;
}

std::span<const uint32_t> BlockTimeline::Lists::of(uint32_t key) const {
  if (uint64_t{key} + 1 >= starts.size()) return {};
  return std::span(indices).subspan(starts[key], starts[key + 1] - starts[key]);
}

std::span<const uint32_t> BlockTimeline::of_instruction(uint32_t instruction) const {
  return by_instruction_.of(instruction);
}

std::span<const uint32_t> BlockTimeline::of_warp(uint32_t warp) const {
  return by_warp_.of(warp);
}

TraceRecord BlockTimeline::record(size_t index) const {
  TraceRecord found;
  record(index, found);
  return found;
}

void BlockTimeline::record(size_t index, TraceRecord& into) const {
  if (index >= marks_.size())
    throw std::out_of_range("record " + std::to_string(index) + " of " + std::to_string(marks_.size()));
  RecordCursor cursor = checkpoints_[index / kRecordsPerCheckpoint];
  for (size_t skipped = index % kRecordsPerCheckpoint; skipped > 0; --skipped)
    cursor.next_brief(into);
  cursor.next(into);
}

size_t BlockTimeline::next_costly(size_t index) const {
  for (size_t at = index + 1; at < marks_.size(); ++at) {
    if (marks_[at].waste() > 0) return at;
  }
  return marks_.size();
}

size_t BlockTimeline::previous_costly(size_t index) const {
  for (size_t at = std::min(index, marks_.size()); at-- > 0;) {
    if (marks_[at].waste() > 0) return at;
  }
  return marks_.size();
}

}  // namespace ridge::trace
