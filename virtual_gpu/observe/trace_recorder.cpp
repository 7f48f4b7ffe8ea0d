#include "virtual_gpu/observe/trace_recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/program.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::AccessSpace;
using trace::RecordKind;
using trace::RecordShape;
using trace::RecordSpace;
using trace::TraceRecord;

RecordKind kind_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return RecordKind::load;
    case AccessKind::store:
      return RecordKind::store;
    case AccessKind::atomic:
      return RecordKind::atomic;
    case AccessKind::reduction:
      break;
  }
  return RecordKind::reduction;
}

RecordSpace space_of(AccessSpace space) {
  switch (space) {
    case AccessSpace::global:
      return RecordSpace::global;
    case AccessSpace::shared:
      return RecordSpace::shared;
    case AccessSpace::local:
      return RecordSpace::local;
    case AccessSpace::constant:
      return RecordSpace::constant;
    case AccessSpace::param:
      break;
  }
  return RecordSpace::none;
}

void fill(TraceRecord& record, const Access& access) {
  record = {};
  record.warp = access.warp;
  record.instruction = access.instruction;
  record.kind = kind_of(access.kind);
  record.space = space_of(access.space);
  record.mask = access.mask;
  record.bytes = access.bytes;
  switch (access.shape) {
    case AccessShape::uniform:
      record.shape = RecordShape::uniform;
      break;
    case AccessShape::strided:
      record.shape = RecordShape::strided;
      break;
    case AccessShape::scattered:
      record.shape = RecordShape::scattered;
      std::copy_n(access.addresses, record.addresses.size(), record.addresses.begin());
      return;
  }
  record.base = access.base;
  record.stride = record.shape == RecordShape::strided ? access.stride : 0;
}

using Recordings = std::vector<std::unique_ptr<TraceRecorder::Recording>>;

class Recorder final : public machine::Observer {
 public:
  Recorder(const std::vector<uint64_t>& blocks, const Recordings& recordings, uint64_t bytes_per_block,
           bool with_values)
      : blocks_(blocks),
        recordings_(recordings),
        bytes_per_block_(bytes_per_block),
        with_values_(with_values) {}

  void block_end(uint64_t) override { flush(); }

  void access(const Access& access) override {
    if (!chosen(access.block) || access.space == AccessSpace::param || access.mask == 0) return;
    flush();
    fill(record_, access);
    // With values the record waits for them: they come after the access was made.
    pending_ = with_values_ ? current_ : nullptr;
    if (!with_values_) append(*current_);
  }

  bool wants_values() const override { return with_values_; }

  void values(const Access& access, const void* values) override {
    if (pending_ == nullptr || !chosen(access.block) || current_ != pending_) return;
    const auto* lane_values = static_cast<const std::byte*>(values);
    for (uint32_t lanes = access.mask; lanes != 0; lanes &= lanes - 1) {
      const std::byte* first = lane_values + static_cast<size_t>(std::countr_zero(lanes)) * access.bytes;
      record_.values.insert(record_.values.end(), first, first + access.bytes);
    }
    flush();
  }

  void barrier(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t mask) override {
    event(block, warp, instruction, RecordKind::barrier, mask, 0);
  }
  void warp_diverged(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t taken,
                     uint32_t fell_through) override {
    event(block, warp, instruction, RecordKind::divergence, taken, fell_through);
  }

  void flush() {
    if (pending_ != nullptr) append(*pending_);
    pending_ = nullptr;
  }

 private:
  bool chosen(uint64_t block) {
    if (block != block_) {
      block_ = block;
      const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), block);
      const bool is_chosen = found != blocks_.end() && *found == block;
      current_ = is_chosen ? recordings_[static_cast<size_t>(found - blocks_.begin())].get() : nullptr;
    }
    return current_ != nullptr;
  }

  void event(uint64_t block, uint32_t warp, uint32_t instruction, RecordKind kind, uint32_t mask,
             uint32_t other_mask) {
    if (!chosen(block)) return;
    flush();
    record_ = {};
    record_.warp = warp;
    record_.instruction = instruction;
    record_.kind = kind;
    record_.mask = mask;
    record_.other_mask = other_mask;
    append(*current_);
  }

  // Once a record did not fit, none after it is taken: a trace has an end, not holes.
  void append(TraceRecorder::Recording& recording) {
    const std::lock_guard lock(recording.mutex);
    trace::BlockRecords& records = recording.records;
    if (records.dropped() > 0 ||
        records.packed_bytes() + trace::packed_bytes_at_most(record_) > bytes_per_block_) {
      records.count_dropped();
    } else {
      records.append(record_);
    }
  }

  const std::vector<uint64_t>& blocks_;
  const Recordings& recordings_;
  const uint64_t bytes_per_block_;
  const bool with_values_;
  uint64_t block_ = ~0ull;
  TraceRecorder::Recording* current_ = nullptr;  // of block_; nullptr when it was not chosen
  TraceRecorder::Recording* pending_ = nullptr;  // whose record_ still waits for its values
  TraceRecord record_;
};

std::vector<trace::TraceInstruction> instructions_of(const machine::Program* program) {
  std::vector<trace::TraceInstruction> instructions;
  if (program == nullptr) return instructions;
  for (const machine::InstructionSource& source : machine::sources(*program)) {
    instructions.push_back({source.file, source.line, source.ptx_line, source.text});
  }
  return instructions;
}

}  // namespace

TraceRecorder::TraceRecorder(RecorderOptions options) : options_(std::move(options)) {
  for (uint64_t block : options_.blocks)
    recordings_.push_back(std::make_unique<Recording>(block));
}

TraceRecorder::~TraceRecorder() = default;

std::unique_ptr<machine::Observer> TraceRecorder::make(const machine::Program& program) {
  program_ = &program;
  const uint64_t share = options_.limit_bytes / std::max<uint64_t>(1, options_.blocks.size());
  return std::make_unique<Recorder>(options_.blocks, recordings_, share, options_.with_values);
}

void TraceRecorder::collect(std::unique_ptr<machine::Observer> observer) {
  static_cast<Recorder&>(*observer).flush();
}

std::vector<trace::TraceArray> TraceRecorder::arrays() const {
  std::vector<trace::TraceArray> found;
  if (!options_.find_array) return found;
  size_t last = 0;  // neighbouring lanes and records nearly always share an array
  const auto holds = [](const trace::TraceArray& array, uint64_t address) {
    return address - array.address < array.bytes;
  };
  const auto note = [&](uint64_t address) {
    if (last < found.size() && holds(found[last], address)) return;
    for (last = 0; last < found.size(); ++last) {
      if (holds(found[last], address)) return;
    }
    if (std::optional<trace::TraceArray> array = options_.find_array(address))
      found.push_back(std::move(*array));
  };
  for (const auto& recording : recordings_) {
    trace::RecordCursor cursor(recording->records);
    TraceRecord record;
    while (cursor.next(record)) {
      if (record.space != RecordSpace::global) continue;
      for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1) {
        note(record.addresses[static_cast<size_t>(std::countr_zero(lanes))]);
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return found;
}

void TraceRecorder::write(const std::filesystem::path& file, trace::TraceLaunch launch) const {
  launch.instructions = instructions_of(program_);
  if (launch.sources.empty()) launch.sources = read_sources(launch.instructions);
  trace::AccessTraceWriter writer(file, launch, options_.limit_bytes);
  for (const auto& recording : recordings_)
    writer.add_block(recording->records);
  writer.finish(arrays());
}

}  // namespace ridge::observe
