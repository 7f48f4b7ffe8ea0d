#include "virtual_gpu/observe/trace/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/observe/copies/record_fill.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessSpace;
using machine::AsyncStep;
using machine::SyncPlace;
using trace::RecordKind;
using trace::RecordSpace;
using trace::TraceRecord;

using Recordings = std::vector<std::unique_ptr<TraceRecorder::Recording>>;

class Recorder final : public SelectiveObserver {
 public:
  Recorder(const machine::Program& program, const RecorderOptions& options, const Recordings& recordings)
      : units_(program),
        blocks_(options.blocks),
        recordings_(recordings),
        bytes_per_block_(options.limit_bytes / std::max<uint64_t>(1, options.blocks.size())),
        with_values_(options.with_values),
        arrays_(options.find_array) {}

  void attach(machine::MachineView& machine) override { machine_ = &machine; }
  void block_begin(uint64_t block) override {
    ++present_;
    running_ += find(block) != nullptr;
    full_ = nullptr;
  }
  void block_end(uint64_t block) override {
    flush();
    --present_;
    running_ -= find(block) != nullptr;
    block_ = ~0ull;
    full_ = nullptr;
  }
  // While a selected block runs, every load is needed; at other times none is. When the block's
  // share of the trace is full, loads are only counted.
  bool wants_every_load() const override { return running_ > 0 && !only_counts(); }
  bool may_elide(const Access&, ElisionTerms&) override { return !wants_every_load(); }
  void accesses_elided(uint32_t, AccessSpace space, const machine::ElidedAccess& elided) override {
    if (running_ == 0 || !only_counts() || space == AccessSpace::param) return;
    full_->records.count_dropped(elided.times);
  }

  void access(const Access& access) override {
    if (!chosen(access.block) || access.space == AccessSpace::param || access.mask == 0) return;
    flush();
    fill(record_, access);
    record_.unit = units_[access.instruction];
    if (with_values_ && machine_ != nullptr && values_fit()) {
      // The bytes of a load can be read now, those of a store at the next event. (A block and its
      // shared memory do not move until it ends.)
      window_ = machine_->shared_window();
      if (access.kind != machine::AccessKind::load) {
        pending_ = current_;
        return;
      }
      read_values(record_, window_);
    }
    append(*current_);
  }

  void bulk_access(const machine::BulkAccess& bulk) override {
    if (units_[bulk.instruction] == trace::RecordUnit::threads) return;
    flush();
    if (bulk.space == AccessSpace::shared && bulk.owner != bulk.block) receive(bulk);
    if (!chosen(bulk.block)) return;
    fill(record_, bulk);
    record_.unit = units_[bulk.instruction];
    append(*current_);
  }

  // The destination of a copy, if it is not the block's own memory: recorded with the preceding
  // issue.
  void bulk_begins(const machine::BulkAccess& bulk) override {
    if (pending_ == nullptr || record_.kind != RecordKind::issue || bulk.block != block_ ||
        record_.instruction != bulk.instruction || bulk.kind != machine::AccessKind::store)
      return;
    record_.receivers.push_back(bulk.owner);
  }

  void mbarrier(uint64_t block, uint32_t warp, uint32_t mask, uint32_t instruction, uint64_t owner,
                uint64_t offset, bool initialises) override {
    if (!chosen(block)) return;
    // The mbarrier of a copy is reported during its issue, whose record has it already.
    if (pending_ != nullptr && record_.kind == RecordKind::issue && record_.instruction == instruction)
      return;
    flush();
    const RecordKind kind = initialises ? RecordKind::init : mbarrier_kind(instruction);
    PendingAsync& asked = pending_of(warp);
    // A spinning warp tests repeatedly.
    if (kind == RecordKind::wait && asked.waits && asked.instruction == instruction && asked.mask == mask &&
        asked.offset == offset)
      return;
    asked = {instruction, mask, offset, kind == RecordKind::wait};
    begin(warp, instruction, kind, mask);
    record_.place = {trace::PlaceKind::mbarrier, offset, 0};
    if (owner != block) record_.owner = owner;
    append(*current_);
  }

  void acquired(uint64_t block, uint32_t warp, uint32_t mask, const SyncPlace& place) override {
    if (place.kind != SyncPlace::Kind::mbarrier || !chosen(block)) return;
    PendingAsync& asked = pending_of(warp);
    if (!asked.waits || asked.offset != place.id) return;
    asked.waits = false;
    flush();
    begin(warp, asked.instruction, RecordKind::waited, mask);
    record_.place = place_of(place);
    if (place.block != block) record_.owner = place.block;
    append(*current_);
  }

  void async_step(const AsyncStep& step) override {
    if (!chosen(step.block)) return;
    flush();
    begin(step.warp, step.instruction, kind_of(step.kind), step.mask);
    record_.unit = units_[step.instruction];
    record_.place = place_of(step.place);
    record_.moved_bytes = step.bytes;
    if (record_.place.kind == trace::PlaceKind::mbarrier && step.place.block != step.block)
      record_.owner = step.place.block;
    if (record_.kind == RecordKind::issue)
      pending_ = current_;  // bulk_begins() may add to it
    else
      append(*current_);
  }

  void barrier(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t mask) override {
    event(block, warp, instruction, RecordKind::barrier, mask, 0);
  }
  void warp_barrier(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t mask) override {
    event(block, warp, instruction, RecordKind::warp_barrier, mask, 0);
  }
  void warp_diverged(uint64_t block, uint32_t warp, uint32_t instruction, uint32_t taken,
                     uint32_t fell_through) override {
    event(block, warp, instruction, RecordKind::divergence, taken, fell_through);
  }

  TouchedArrays& arrays() { return arrays_; }
  void flush() {
    if (pending_ == nullptr) return;
    if (record_.is_access()) read_values(record_, window_);
    const uint64_t own = pending_->records.block();
    if (record_.receivers.size() == 1 && record_.receivers.front() == own) record_.receivers.clear();
    append(*pending_);
    pending_ = nullptr;
  }

 private:
  // The last mbarrier test of a warp.
  struct PendingAsync {
    uint32_t instruction = 0, mask = 0;
    uint64_t offset = 0;
    bool waits = false;
  };

  // Blocks of a cluster alternate, and elided accesses cannot be attributed to one of them: there
  // every access is reported.
  bool only_counts() const { return full_ != nullptr && present_ == 1; }

  TraceRecorder::Recording* find(uint64_t block) const {
    const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), block);
    if (found == blocks_.end() || *found != block) return nullptr;
    return recordings_[static_cast<size_t>(found - blocks_.begin())].get();
  }
  bool chosen(uint64_t block) {
    if (block != block_) {
      block_ = block;
      current_ = find(block);
    }
    return current_ != nullptr;
  }

  // Records the data that another block's copy writes to this block's shared memory.
  void receive(const machine::BulkAccess& bulk) {
    TraceRecorder::Recording* const receiver = find(bulk.owner);
    if (receiver == nullptr || bulk.kind == machine::AccessKind::load) return;
    fill(record_, bulk);
    record_.unit = units_[bulk.instruction];
    record_.mask = 0;
    record_.owner.reset();
    record_.place = {trace::PlaceKind::asked_by, bulk.block, 0};
    append(*receiver);
  }

  RecordKind mbarrier_kind(uint32_t instruction) const {
    return units_.waits(instruction) ? RecordKind::wait : RecordKind::arrive;
  }
  PendingAsync& pending_of(uint32_t warp) {
    std::vector<PendingAsync>& asked = asked_[block_];
    if (asked.size() <= warp) asked.resize(warp + 1);
    return asked[warp];
  }

  void begin(uint32_t warp, uint32_t instruction, RecordKind kind, uint32_t mask) {
    clear(record_);
    record_.warp = warp;
    record_.instruction = instruction;
    record_.kind = kind;
    record_.mask = mask;
  }
  void event(uint64_t block, uint32_t warp, uint32_t instruction, RecordKind kind, uint32_t mask,
             uint32_t other_mask) {
    if (!chosen(block)) return;
    flush();
    begin(warp, instruction, kind, mask);
    record_.other_mask = other_mask;
    append(*current_);
  }

  // True when record_, an access of current_, may include its values; otherwise they are not read.
  bool values_fit() {
    trace::BlockRecords& records = current_->records;
    if (records.packed_bytes() <= bytes_per_block_ / 2) return true;
    if (records.dropped() == 0 && has_values(record_)) records.count_without_values();
    return false;
  }
  // After the first record that does not fit, all later ones are dropped, so that a trace is a
  // complete prefix.
  void append(TraceRecorder::Recording& recording) {
    trace::BlockRecords& records = recording.records;
    if (records.dropped() > 0 ||
        records.packed_bytes() + trace::packed_bytes_at_most(record_) > bytes_per_block_) {
      records.count_dropped();
      full_ = &recording;
    } else {
      records.append(record_);
      arrays_.note(record_);
    }
  }

  const InstructionUnits units_;
  const std::vector<uint64_t>& blocks_;
  const Recordings& recordings_;
  const uint64_t bytes_per_block_;
  const bool with_values_;
  machine::MachineView* machine_ = nullptr;
  size_t present_ = 0;                        // blocks that have begun here and not ended
  size_t running_ = 0;                        // selected blocks among them
  TraceRecorder::Recording* full_ = nullptr;  // the one whose last record did not fit
  uint64_t block_ = ~0ull;
  TraceRecorder::Recording* current_ = nullptr;  // of block_; nullptr when it is not selected
  TraceRecorder::Recording* pending_ = nullptr;  // its record_ still needs its values
  const std::byte* window_ = nullptr;            // the shared memory of its block
  TraceRecord record_;
  TouchedArrays arrays_;
  std::unordered_map<uint64_t, std::vector<PendingAsync>> asked_;  // by block and warp
};

std::vector<trace::TraceInstruction> instructions_of(const machine::Program* program) {
  std::vector<trace::TraceInstruction> instructions;
  if (program == nullptr) return instructions;
  for (const machine::InstructionSource& source : machine::sources(*program)) {
    instructions.push_back({std::string(source.own_file), source.own_line, source.ptx_line, std::string(source.text)});
  }
  return instructions;
}

}  // namespace

TraceRecorder::TraceRecorder(RecorderOptions options)
    : options_(std::move(options)), arrays_(options_.find_array) {
  for (uint64_t block : options_.blocks)
    recordings_.push_back(std::make_unique<Recording>(block));
}

TraceRecorder::~TraceRecorder() = default;

std::unique_ptr<machine::Observer> TraceRecorder::make(const machine::Program& program) {
  program_ = &program;
  return std::make_unique<Recorder>(program, options_, recordings_);
}

void TraceRecorder::collect(std::unique_ptr<machine::Observer> observer) {
  auto& recorder = static_cast<Recorder&>(*observer);
  recorder.flush();
  arrays_.add(std::move(recorder.arrays()));
}

void TraceRecorder::write(const std::filesystem::path& file, trace::TraceLaunch launch,
                          trace::TraceEnd end) const {
  launch.instructions = instructions_of(program_);
  if (launch.sources.empty()) launch.sources = read_sources(launch.instructions);
  end.arrays = arrays_.found();
  if (program_ != nullptr) {
    for (trace::TraceArray& array : shared_arrays(*program_, launch.dynamic_shared_bytes, launch.sources))
      end.arrays.push_back(std::move(array));
  }
  std::sort(end.arrays.begin(), end.arrays.end(), [](const auto& a, const auto& b) {
    return a.space != b.space ? a.space < b.space : a.address < b.address;
  });
  trace::AccessTraceWriter writer(file, launch, options_.limit_bytes);
  for (const auto& recording : recordings_)
    writer.add_block(recording->records);
  writer.finish(end);
}

std::string TraceRecorder::outcome_text() const {
  uint64_t kept = 0, dropped = 0, without_values = 0;
  for (const auto& recording : recordings_) {
    kept += recording->records.size();
    dropped += recording->records.dropped();
    without_values += recording->records.without_values();
  }
  std::string text =
      fmt::format("{} block{}, {} records", recordings_.size(), recordings_.size() == 1 ? "" : "s", kept);
  if (dropped > 0) {
    text += fmt::format(
        "; {} more did not fit into {:.3g} MB and were left out: raise the limit, or choose "
        "fewer blocks",
        dropped, static_cast<double>(options_.limit_bytes) / (1 << 20));
  } else if (without_values > 0) {
    text += fmt::format("; {} of them without their values because there was no room", without_values);
  }
  return text;
}

}  // namespace ridge::observe
