// Taint tracking: the report of a use.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/place_names.h"
#include "virtual_gpu/observe/uninitialised/taint_tracker.h"
#include "virtual_gpu/observe/uninitialised/undefined_results.h"

namespace ridge::observe {

using machine::MemorySpace;
using machine::MicroOp;
using machine::ObservedFault;
using machine::OpKind;

namespace {

const char* advice_for(const machine::Program& program, const UndefinedRead& read) {
  if (read.is_unset)
    return "give the variable a value where it is declared, such as 0 for a sum or the first element for a "
           "maximum";
  if (read.from_lane) {
    return "let every lane that is read from execute the shuffle and be named by the mask: take it out of the "
           "`if`, with 0xffffffff and a neutral value in lanes without data, or use the result only where the "
           "other lane takes part";
  }
  if (read.space == MemorySpace::shared) {
    const bool copies = std::any_of(program.ops.begin(), program.ops.end(), [](const MicroOp& op) {
      return op.kind == OpKind::async_copy || op.kind == OpKind::bulk_copy;
    });
    return copies ? "let a copy or a thread fill every element of the shared array that is read, where the tile is "
                    "cut off at the edge too, and wait for the copy before reading"
                  : "let a thread write every element of the shared array that is read, with 0 where the data end, "
                    "or read only the elements that were written: compare the condition of the write with that of "
                    "the read";
  }
  if (read.space == MemorySpace::local)
    return "give every element of the thread's own array a value before it is read: start accumulators at 0";
  return "cudaMalloc does not clear memory: copy into the array, cudaMemset it, or let a kernel write every "
         "element that is read";
}

}  // namespace

// "what a shuffle gave it from lane 20, which had returned by then"
std::string TaintTracker::absent_text(const UndefinedRead& read, uint32_t warp, int lane) const {
  const auto source = static_cast<uint32_t>(read.addresses[static_cast<size_t>(lane)]);
  std::string why;
  if (warp * 32 + source >= launch_.threads)
    why = fmt::format("does not exist: the block has {} threads", launch_.threads);
  else if (!(read.live >> source & 1))
    why = "had returned by then";
  else
    why = fmt::format("the mask {:#010x} does not name", read.members);
  return fmt::format("what a shuffle gave it from lane {}, which {}, so that the value is undefined", source,
                     why);
}

// Names the element that a value comes from and, if that was computed from another one, the other
// one.
std::string TaintTracker::value_text(const Scope& scope, const UndefinedRead& read, int lane) const {
  if (read.from_lane) return absent_text(read, scope.warp, lane);
  const auto place_of = [&](const UndefinedRead& of, int of_lane) -> std::string {
    if (of.is_unset) return "a local variable";
    return machine::name_place(program(), launch_.config, launch_.memory, of.space,
                               of.addresses[static_cast<size_t>(of_lane)], of.bytes);
  };
  const std::string place = place_of(read, lane);
  if (read.is_unset) return place + " that has no value yet";
  if (!read.history.empty()) return place + ", which " + read.history;
  if (!read.earlier) return place + ", which no thread has written";
  const UndefinedRead& first = *read.earlier;
  const int first_lane = std::countr_zero(first.lanes);
  return fmt::format("{}, which was computed at {} from {}", place,
                     machine::place_text(program().sources[read.stored_by]),
                     first.from_lane  ? absent_text(first, scope.warp, first_lane)
                     : first.is_unset ? place_of(first, first_lane) + " that has no value yet"
                                      : place_of(first, first_lane) + ", which no thread has written");
}

ObservedFault TaintTracker::use_fault(const Scope& scope, const TaintedRow& row, uint32_t lanes,
                                      const char* use) const {
  const int lane = std::countr_zero(lanes);
  const UndefinedRead& read = *row.origin;
  const UndefinedRead& first = read.earlier ? *read.earlier : read;  // what nobody wrote
  const int reader = read.lanes >> lane & 1 ? lane : std::countr_zero(read.lanes);
  const std::string place = value_text(scope, read, reader);
  const machine::InstructionSource& source = program().sources[read.instruction];
  const machine::InstructionSource& here = program().sources[scope.pc];
  const bool same_line = source.line == here.line && source.file == here.file && source.line != 0;
  const std::string origin = read.earlier ? fmt::format("it was read at {}", machine::place_text(source))
                             : same_line ? std::string("it is read on the same line")
                                       : (read.from_lane ? "the shuffle is at " : "it was read at ") +
                                             machine::place_text(source);
  ObservedFault fault(ObservedFault::Kind::uninitialised, scope.pc, scope.warp, static_cast<uint32_t>(lane),
                      fmt::format("Uninitialised: \x01 {}{}{} ({})", use,
                                  row.computed >> lane & 1 ? " a value computed from " : " ", place, origin),
                      advice_for(program(), first),
                      {first.from_lane                      ? "absent_lane"
                       : first.is_unset                     ? "variable_unset"
                       : first.space == MemorySpace::shared ? "shared_unwritten"
                       : first.space == MemorySpace::local  ? "local_unwritten"
                                                            : "global_unwritten",
                       {{"place", place}, {"source", machine::place_text(source)}}});
  if (&first == &read && read.space == MemorySpace::shared) {
    const uint64_t offset = read.addresses[static_cast<size_t>(reader)];
    machine::add_shared_place(fault.cause, program(), offset,
                              machine::name_place(program(), launch_.config, launch_.memory, read.space,
                                                  offset, read.bytes));
  }
  return fault;
}

void TaintTracker::report(const Scope& scope, const TaintedRow& row, uint32_t lanes, const char* use) const {
  ObservedFault fault = use_fault(scope, row, lanes, use);
  if (row.origin->space != MemorySpace::shared) throw scope.block.use ? *scope.block.use : fault;
  if (!scope.block.use) scope.block.use = std::move(fault);
  scope.taint.forget(nullptr, lanes);
}

// Empty: no kernel has computed a value from unwritten bytes and stored it in this allocation.
std::string TaintTracker::history_at(uint64_t address) const {
  const auto allocation = launch_.memory.find(address);
  const auto own = allocation ? deferred_.find(allocation->serial) : deferred_.end();
  if (own != deferred_.end()) return own->second.history;
  const auto earlier = launch_.options.results->find(launch_.memory, address, 1);
  return earlier ? earlier->history : std::string();
}

// The first result in each allocation is kept. A result that replaces written bytes is reported at
// once; so is one in memory that the host can access without a copy, which counts as written.
bool TaintTracker::defer(const Scope& scope, const machine::MemoryOp& memory, const TaintedRow& row,
                         uint32_t lanes) {
  if (launch_.options.results == nullptr || memory.fixed_address || !stores_globally(memory, lanes))
    return false;
  const auto address_of = [&](int lane) {
    const uint64_t base = memory.wide_address ? this->row<uint64_t>(memory.address)[lane]
                                              : this->row<uint32_t>(memory.address)[lane];
    return base + static_cast<uint64_t>(memory.offset);
  };
  const machine::WrittenMap& written = launch_.memory.written();
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t to = address_of(std::countr_zero(rest));
    const uint32_t bytes = memory.element_bytes * memory.count;
    if (!written.covers(to, bytes) || written.written_bits(to, bytes) != 0) return false;
  }
  const int lane = std::countr_zero(lanes);
  const uint64_t address = address_of(lane);
  const auto allocation = launch_.memory.find(address);
  if (!allocation) return false;
  if (deferred_.contains(allocation->serial)) return true;
  const UndefinedRead& read = *row.origin;
  const int reader = read.lanes >> lane & 1 ? lane : std::countr_zero(read.lanes);
  const std::string history =
      read.history.empty() ? fmt::format("was computed at {} from {}", machine::place_text(program().sources[scope.pc]),
                                         value_text(scope, read, reader))
                           : read.history;
  deferred_.emplace(allocation->serial,
                    machine::ObserverFactory::DeferredFault{
                        {use_fault(scope, row, lanes, "stores"), scope.block_index}, address, history});
  return true;
}

}  // namespace ridge::observe
