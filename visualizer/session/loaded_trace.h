// A trace that was opened: the file's content, a timeline for each recorded block, and what each source line
// cost.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/access_trace.h"
#include "trace/block_timeline.h"
#include "warp_model/device.h"
#include "warp_model/shared_memory/wavefronts.h"

namespace ridge::view {

// A line, or an instruction: sums over the recorded blocks, or over the whole launch where the report is
// there.
struct CostSum {
  uint64_t executions = 0, actual = 0, ideal = 0;
  uint64_t waste() const { return actual > ideal ? actual - ideal : 0; }
};

struct LineCost {
  uint32_t source = 0, line = 0;  // index in TraceLaunch::sources; from 1
  CostSum global, shared;         // sectors; wavefronts
  std::vector<uint32_t> instructions;
  uint64_t waste() const { return global.waste() + shared.waste(); }
};

// Of one kind of access to one memory, so that its cost has one unit: a tensor copy loads sectors of global
// memory and stores to shared memory in wavefronts, and has two of these.
struct InstructionCost {
  uint32_t instruction = 0;
  trace::RecordSpace space = trace::RecordSpace::none;
  trace::RecordKind kind = trace::RecordKind::load;
  CostSum cost;
};

struct Survey;
class Surveyor;

class LoadedTrace {
 public:
  // Throws std::runtime_error with a sentence for a person.
  explicit LoadedTrace(std::filesystem::path file);
  explicit LoadedTrace(trace::AccessTrace trace);
  // A trace file that is in memory; `name` is shown in place of a path.
  LoadedTrace(std::span<const uint8_t> bytes, std::string name);
  ~LoadedTrace();

  // No two have the same, not even one that was opened where another was in memory: for those who keep what
  // they worked out.
  uint64_t id() const { return id_; }
  const std::filesystem::path& file() const { return file_; }
  const trace::AccessTrace& trace() const { return *trace_; }
  const trace::TraceLaunch& launch() const { return trace_->launch; }
  const std::vector<trace::BlockTimeline>& timelines() const { return timelines_; }
  // How shared memory serves each instruction, by index.
  const trace::SharedAccesses& shared_accesses() const { return shared_accesses_; }
  // Of an access to shared memory by lanes; empty: any other record.
  std::vector<warp_model::Wavefront> wavefronts_of(const trace::TraceRecord& record) const {
    return wavefronts_of(record, record.addresses, record.bytes);
  }
  // If its lanes had these addresses.
  std::vector<warp_model::Wavefront> wavefronts_of(const trace::TraceRecord& record,
                                                   const std::array<uint64_t, 32>& addresses,
                                                   uint32_t bytes) const;
  const trace::LaunchReport* report() const { return trace_->report ? &*trace_->report : nullptr; }
  const warp_model::DeviceDescription& device() const { return *device_; }
  const std::string& title() const {
    return title_;
  }  // of the rung, else the kernel's name without arguments

  const std::vector<LineCost>& lines() const { return lines_; }  // with memory accesses, by source and line
  const LineCost* line(uint32_t source, uint32_t line) const;
  // By waste, most first.
  const std::vector<InstructionCost>& instructions() const { return instructions_; }
  // Index in TraceLaunch::sources of the file that most accesses are in; 0 when there is none.
  uint32_t main_source() const { return main_source_; }
  uint32_t source_of(uint32_t instruction) const { return source_of_[instruction]; }

  // What all records together say (survey.h). A thread begins to count at the first call; nullptr: it still
  // counts, which cannot be with `wait`.
  const Survey* survey(bool wait) const;

 private:
  std::vector<InstructionCost> costs_of_records() const;
  LoadedTrace(trace::OpenedTrace opened, std::filesystem::path file);
  void sum_up();

  uint64_t id_;
  std::filesystem::path file_;
  std::unique_ptr<trace::AccessTrace> trace_;
  std::vector<trace::BlockTimeline> timelines_;
  trace::SharedAccesses shared_accesses_;
  const warp_model::DeviceDescription* device_;
  std::string title_;
  std::vector<LineCost> lines_;
  std::vector<InstructionCost> instructions_;
  std::vector<uint32_t> source_of_;
  uint32_t main_source_ = 0;
  mutable std::unique_ptr<Surveyor> surveyor_;  // last: it looks at all the others
};

}  // namespace ridge::view
