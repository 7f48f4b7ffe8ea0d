// Fills the fields of a trace record from the machine's events.
#pragma once

#include <vector>

#include "trace/access_trace.h"
#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/program/program.h"

namespace ridge::observe {

trace::RecordKind kind_of(machine::AsyncStep::Kind kind);
trace::RecordPlace place_of(const machine::SyncPlace& place);
// As a new record is, but for the addresses, which only scattered records have, and with the room that its
// lists have: tens of thousands are filled, one after the other.
void clear(trace::TraceRecord& record);
void fill(trace::TraceRecord& record, const machine::Access& access);    // all but unit and values
void fill(trace::TraceRecord& record, const machine::BulkAccess& bulk);  // all but unit

// The bytes that the active lanes' addresses hold now, into record.values; nothing for spaces that cannot be
// looked into from here. `window`: the block's shared memory.
void read_values(trace::TraceRecord& record, const std::byte* window);
bool has_values(const trace::TraceRecord& record);  // whether its space can be looked into

// Who does the work of each instruction, and which of them ask an mbarrier: by their text, worked out once.
class InstructionUnits {
 public:
  explicit InstructionUnits(const machine::Program& program);
  trace::RecordUnit operator[](uint32_t instruction) const { return units_[instruction]; }
  bool waits(uint32_t instruction) const { return waits_[instruction]; }

 private:
  std::vector<trace::RecordUnit> units_;
  std::vector<bool> waits_;
};

}  // namespace ridge::observe
