// Fills the fields of a trace record from the machine's events.
#pragma once

#include <vector>

#include "trace/access_trace.h"
#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/program/program.h"

namespace ridge::observe {

trace::RecordKind kind_of(machine::AsyncStep::Kind kind);
trace::RecordPlace place_of(const machine::SyncPlace& place);
// Resets a record except for the addresses, which only scattered records have, and keeps the
// capacity of its lists: tens of thousands of records are filled one after the other.
void clear(trace::TraceRecord& record);
// All members but unit and values.
void fill(trace::TraceRecord& record, const machine::Access& access);
void fill(trace::TraceRecord& record, const machine::BulkAccess& bulk);  // all members but unit

// Reads the bytes at the active lanes' addresses into record.values; nothing for spaces that are
// not accessible here. `window`: the block's shared memory.
void read_values(trace::TraceRecord& record, const std::byte* window);
bool has_values(const trace::TraceRecord& record);  // true when its space is accessible

// The unit of each instruction, and which of them test an mbarrier: derived from their texts once.
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
