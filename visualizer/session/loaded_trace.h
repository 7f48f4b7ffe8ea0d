// An opened trace: the file's content, a timeline for each recorded block, and the cost of each
// source line.
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

// Costs of a line or an instruction, summed over the recorded blocks, or over the whole launch if
// the report is in the trace.
struct CostSum {
  uint64_t executions = 0, actual = 0, ideal = 0;
  uint64_t waste() const { return actual > ideal ? actual - ideal : 0; }
};

struct LineCost {
  uint32_t source = 0, line = 0;  // index in TraceLaunch::sources; from 1
  CostSum global, shared;         // in sectors; in wavefronts
  std::vector<uint32_t> instructions;
  uint64_t waste() const { return global.waste() + shared.waste(); }
};

// The cost of one kind of access to one memory, so that it has one unit. A tensor copy, which loads
// sectors of global memory and stores wavefronts to shared memory, has two of these.
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
  // Throws std::runtime_error with a sentence for the user.
  explicit LoadedTrace(std::filesystem::path file);
  explicit LoadedTrace(trace::AccessTrace trace);
  // A trace file that is in memory; `name` is shown in place of a path.
  LoadedTrace(std::span<const uint8_t> bytes, std::string name);
  ~LoadedTrace();

  // Unique, even if a trace is opened at the address of a former one: a key for caches.
  uint64_t id() const { return id_; }
  const std::filesystem::path& file() const { return file_; }
  const trace::AccessTrace& trace() const { return *trace_; }
  const trace::TraceLaunch& launch() const { return trace_->launch; }
  const std::vector<trace::BlockTimeline>& timelines() const { return timelines_; }
  // How shared memory serves each instruction, by index.
  const trace::SharedAccesses& shared_accesses() const { return shared_accesses_; }
  // The wavefronts of a shared-memory access by lanes; empty for any other record.
  std::vector<warp_model::Wavefront> wavefronts_of(const trace::TraceRecord& record) const {
    return wavefronts_of(record, record.addresses, record.bytes);
  }
  // The wavefronts if its lanes had these addresses.
  std::vector<warp_model::Wavefront> wavefronts_of(const trace::TraceRecord& record,
                                                   const std::array<uint64_t, 32>& addresses,
                                                   uint32_t bytes) const;
  const trace::LaunchReport* report() const { return trace_->report ? &*trace_->report : nullptr; }
  const warp_model::DeviceDescription& device() const { return *device_; }
  const std::string& title() const {
    return title_;
  }  // title of the rung, otherwise the kernel's name without arguments

  // Those with memory accesses, by source and line.
  const std::vector<LineCost>& lines() const { return lines_; }
  const LineCost* line(uint32_t source, uint32_t line) const;
  // Sorted by waste, descending.
  const std::vector<InstructionCost>& instructions() const { return instructions_; }
  // Index in TraceLaunch::sources of the file with most accesses; 0 when there is none.
  uint32_t main_source() const { return main_source_; }
  uint32_t source_of(uint32_t instruction) const { return source_of_[instruction]; }

  // The aggregation of all records (survey.h). The first call starts a thread; nullptr: it is not
  // finished (never with `wait`).
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
  mutable std::unique_ptr<Surveyor> surveyor_;  // last member: it uses all others
};

}  // namespace ridge::view
