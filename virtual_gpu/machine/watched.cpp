// A warp some of whose registers hold values that nobody wrote: an instruction at a time, and with a look at
// what each does with them. Moving such a value is allowed, and so is computing with it as long as the result
// goes nowhere; an address, a branch, an atomic, or a result stored in global memory is a use.
#include <bit>
#include <string_view>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/memory/hot_access.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/faults/place_names.h"

namespace ridge::machine {
namespace {

// The opcode of a source text, behind its guard.
std::string_view opcode_of(std::string_view text) {
  if (text.starts_with('@')) {
    const size_t space = text.find(' ');
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return text.substr(0, text.find(' '));
}

bool reads_row(const Program& program, const MicroOp& op, RowOffset row) {
  const auto is_value = [&](const MemoryOp& memory) {
    for (uint32_t k = 0; k < memory.count; ++k) {
      if (memory.values[k] == row) return true;
    }
    return false;
  };
  switch (op.kind) {
    case OpKind::lane:
    case OpKind::lane_guarded:
      return op.operands.a == row || op.operands.b == row || op.operands.c == row || op.operands.d == row;
    case OpKind::load: {
      const MemoryOp& memory = program.memory[op.detail];
      return !memory.fixed_address && memory.address == row;
    }
    case OpKind::load_parameter:
    case OpKind::prefetch:
    case OpKind::fence:
    case OpKind::nothing:
    case OpKind::ret:
    case OpKind::exit:
    case OpKind::block_barrier:
      return false;
    case OpKind::branch:
      return (op.flags & kGuarded) && op.guard == row;
    case OpKind::store: {
      const MemoryOp& memory = program.memory[op.detail];
      return is_value(memory) || (!memory.fixed_address && memory.address == row);
    }
    default:
      return true;  // no need to be exact: a row that is never read costs time only
  }
}

}  // namespace

bool Core::is_ever_read(RowOffset row) {
  const auto [it, is_new] = ever_read_.try_emplace(uint64_t{frame_->function} << 32 | row, false);
  if (!is_new) return it->second;
  const FunctionCode& code = program_.functions[frame_->function];
  for (uint32_t pc = code.first; pc < code.end && !it->second; ++pc)
    it->second = reads_row(program_, program_.ops[pc], row);
  return it->second;
}

void Core::report_undefined(PoisonedRow row, uint32_t lanes, const char* use) {
  const int lane = std::countr_zero(lanes);
  const UndefinedRead& read = *row.origin;
  const int reader = read.lanes >> lane & 1 ? lane : std::countr_zero(read.lanes);
  const std::string place = read.from_lane
                                ? absent_text(read, reader)
                                : name_place(program_, launch_.config, launch_.memory, read.space,
                                             read.addresses[static_cast<size_t>(reader)], read.bytes) +
                                      ", which nobody has given a defined value";
  const InstructionSource& source = program_.sources[read.instruction];
  const InstructionSource& here = program_.sources[pc_];
  const bool same_line = source.line == here.line && source.file == here.file && source.line != 0;
  try {
    fault(Fault::Kind::uninitialised, culprit(lane),
          std::string("Uninitialised: \x01 ") + use +
              (row.computed >> lane & 1 ? " a value computed from " : " ") + place +
              (same_line ? std::string(" (it is read on the same line)")
                         : (read.from_lane ? " (the shuffle is at " : " (it was read at ") +
                               place_text(source) + ")"),
          read.from_lane ? "let every lane that is read from execute the shuffle and be named by the mask: "
                           "take it out of the "
                           "`if`, with 0xffffffff and a neutral value in lanes without data, or use the "
                           "result only where the "
                           "other lane takes part"
          : read.space == MemorySpace::shared
              ? "write every element of the shared array that is read, edges and halo too, or start "
                "accumulators "
                "at 0; after cp.async, wait for the copy (cp.async.wait_group) before reading"
              : "cudaMalloc does not clear memory: copy into the array, cudaMemset it, or let a kernel write "
                "every "
                "element that is read");
  } catch (LaunchFault& made) {
    if (read.space != MemorySpace::shared) throw;
    // Perhaps it is only too early: when somebody writes the element after all, that is a race, and says
    // more. When nobody does, the block's end reports this.
    if (!block_->undefined_use) block_->undefined_use = std::move(made.fault);
    warp_->poison.forget(nullptr, lanes);
  }
}

void Core::must_be_defined(RowOffset row, uint32_t mask, const char* use) {
  const PoisonedRow* poisoned = warp_->poison.find(frame_, row);
  if (poisoned != nullptr && (poisoned->lanes & mask) != 0)
    report_undefined(*poisoned, poisoned->lanes & mask, use);
}

// Algorithms of the toolkit compare elements past the end of a tile in shared memory before they look whether
// there are any: the way they then take makes no difference (CUB's and thrust's merges and set operations).
bool Core::decides_at_will(RowOffset guard) const {
  const PoisonedRow* poisoned = warp_->poison.find(frame_, guard);
  return poisoned != nullptr && poisoned->origin->space == MemorySpace::shared &&
         program_.sources[pc_].is_library;
}

// What a load brought in; elements of which some bytes are defined count as defined.
void Core::poison_loaded(const MemoryOp& op, const Addresses& addresses, MemorySpace space) {
  auto read = std::make_shared<UndefinedRead>();
  read->instruction = pc_;
  read->bytes = op.element_bytes;
  read->lanes = undefined.lanes;
  read->space = space;
  const uint32_t all = op.element_bytes == 32 ? ~0u : (1u << op.element_bytes) - 1;
  for (uint32_t k = 0; k < op.count; ++k) {
    if (op.values[k] == kNoRow || !is_ever_read(op.values[k])) continue;
    uint32_t lanes = 0;
    for (uint32_t rest = undefined.lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const uint32_t bytes = undefined.bytes[lane] >> (k * op.element_bytes) & all;
      if (bytes != all) continue;
      lanes |= 1u << lane;
      read->addresses[static_cast<size_t>(lane)] = addresses.of(lane) + k * op.element_bytes;
    }
    if (lanes == 0) continue;
    warp_->poison.set(frame_, op.values[k], lanes, lanes, 0, read);
    poison_added_ = true;
  }
  undefined.lanes = 0;
}

void Core::find_undefined_values(const MemoryOp& op, uint32_t mask) {
  const uint32_t all = (1u << op.element_bytes) - 1;
  for (uint32_t k = 0; k < op.count; ++k) {
    if (op.values[k] == kNoRow) continue;
    const PoisonedRow* poisoned = warp_->poison.find(frame_, op.values[k]);
    if (poisoned == nullptr) continue;
    for (uint32_t rest = poisoned->lanes & mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (!(undefined.lanes >> lane & 1)) undefined.bytes[lane] = 0;
      undefined.lanes |= 1u << lane;
      undefined.bytes[lane] |= all << (k * op.element_bytes);
    }
  }
}

void Core::watch_lane(const MicroOp& op, uint32_t mask) {
  Poison& poison = warp_->poison;
  const std::string_view opcode = opcode_of(program_.sources[pc_].text);
  const bool moves = opcode.starts_with("mov.") || opcode.starts_with("cvta");
  uint32_t lanes = 0, computed = 0;
  std::shared_ptr<const UndefinedRead> origin;
  const auto add = [&](RowOffset row, uint32_t of) {
    const PoisonedRow* source = row == kNoRow || row == kCarryRow ? nullptr : poison.find(frame_, row);
    if (source == nullptr || (source->lanes & of) == 0) return;
    lanes |= source->lanes & of;
    computed |= moves ? source->computed & of : source->lanes & of;
    origin = source->origin;
  };
  if (opcode.starts_with("selp.")) {
    const uint32_t chosen = *row<uint32_t>(op.operands.c);
    add(op.operands.a, mask & chosen);
    add(op.operands.b, mask & ~chosen);
    computed = 0;
    for (const RowOffset side : {op.operands.a, op.operands.b}) {
      if (const PoisonedRow* source = poison.find(frame_, side)) computed |= source->computed & lanes;
    }
    add(op.kind == OpKind::lane_not ? op.target : op.operands.c, mask);
  } else if (opcode == "and.pred" || opcode == "or.pred") {
    // `i < n && a[i] < x` may look at a[i] first: false and anything is false, true or anything is true.
    const auto passes = [&](RowOffset side) {
      const bool negated = op.kind == OpKind::lane_not && side == op.detail;
      const RowOffset source = negated ? op.target : side;
      const PoisonedRow* poisoned = poison.find(frame_, source);
      const uint32_t is_undefined = poisoned == nullptr ? 0 : poisoned->lanes;
      const uint32_t value = negated ? ~*row<uint32_t>(source) : *row<uint32_t>(source);
      return is_undefined | (opcode == "and.pred" ? value : ~value);
    };
    const auto source_of = [&](RowOffset side) {
      return op.kind == OpKind::lane_not && side == op.detail ? op.target : side;
    };
    add(source_of(op.operands.a), mask & passes(op.operands.b));
    add(source_of(op.operands.b), mask & passes(op.operands.a));
  } else {
    add(op.operands.a, mask);
    add(op.operands.b, mask);
    add(op.operands.c, mask);
    add(op.operands.d, mask);
    if (op.kind == OpKind::lane_not) add(op.target, mask);
  }
  const auto put = [&](RowOffset row) {
    if (row != kCarryRow) poison.set(frame_, row, mask, lanes, computed, origin);
  };
  put(op.operands.dst);
  put(op.operands.dst2);
}

bool Core::stores_globally(const MemoryOp& op, uint32_t mask) const {
  if (op.space != MemorySpace::generic) return op.space == MemorySpace::global;
  if (op.fixed_address || !op.wide_address) return false;
  const uint64_t address =
      row<uint64_t>(op.address)[std::countr_zero(mask)] + static_cast<uint64_t>(op.offset);
  return address < address_windows().begin || address >= address_windows().end;
}

void Core::watch_memory(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  Poison& poison = warp_->poison;
  const bool is_store = op.kind == OpKind::store || op.kind == OpKind::store_slot;
  if ((op.kind == OpKind::load || op.kind == OpKind::store) && !memory.fixed_address)
    must_be_defined(memory.address, mask, "uses as an address");
  if (op.kind == OpKind::store_slot || op.kind == OpKind::load_slot) {
    // A .param variable of a call: rows of words, here taken for copies of whole registers.
    for (uint32_t k = 0; k < memory.count; ++k) {
      const RowOffset word =
          memory.address +
          (static_cast<RowOffset>(memory.offset) + k * memory.element_bytes) / 4 * (kLanes * 4);
      if (memory.values[k] == kNoRow) continue;
      const RowOffset from = is_store ? memory.values[k] : word, to = is_store ? word : memory.values[k];
      const PoisonedRow* source = poison.find(frame_, from);
      const uint32_t lanes = source == nullptr ? 0 : source->lanes & mask;
      const uint32_t computed = source == nullptr ? 0 : source->computed & mask;
      const auto origin = source == nullptr ? nullptr : source->origin;
      poison.set(frame_, to, mask, lanes, computed, origin);
    }
    return;
  }
  // Lanes that store nothing but undefined elements. Where an element beside is defined, what is copied is a
  // struct with its padding.
  uint32_t nothing_else = mask;
  for (uint32_t k = 0; is_store && k < memory.count; ++k) {
    const PoisonedRow* value = memory.values[k] == kNoRow ? nullptr : poison.find(frame_, memory.values[k]);
    nothing_else &= value == nullptr ? 0 : value->lanes;
  }
  for (uint32_t k = 0; k < memory.count; ++k) {
    const RowOffset row = memory.values[k];
    if (row == kNoRow) continue;
    if (!is_store) {
      poison.set(frame_, row, mask, 0, 0, nullptr);
    } else if (const PoisonedRow* value = poison.find(frame_, row)) {
      // Global memory may be copied, padding and all, and shared memory computed with: a tile need not be
      // full. What goes from one to the other, or is computed from global memory and kept, is used.
      const bool from_global = value->origin->space == MemorySpace::global;
      const uint32_t used = (value->computed | (from_global ? 0 : value->lanes & nothing_else)) & mask;
      const bool keeps =
          stores_globally(memory, mask) || (from_global && memory.space == MemorySpace::shared);
      if (used != 0 && keeps) report_undefined(*value, used, "stores");
    }
  }
}

void Core::watch_warp_op(const MicroOp& op, uint32_t mask) {
  const WarpOp& detail = program_.warp_ops[op.detail];
  Poison& poison = warp_->poison;
  if (detail.members != kNoRow) must_be_defined(detail.members, mask, "uses as a mask");
  if (op.kind == OpKind::warp_barrier || op.kind == OpKind::elect) return;
  const PoisonedRow* source = poison.find(frame_, detail.source);
  uint32_t lanes = source == nullptr ? 0 : source->lanes & mask;
  const auto origin = source == nullptr ? nullptr : source->origin;
  uint32_t computed = lanes != 0 ? mask : 0;
  if (op.kind == OpKind::shuffle && lanes != 0) {
    // The same exchange, made with what is poisoned in place of the values.
    std::array<uint32_t, kLanes> values, results;
    uint32_t* const from = row<uint32_t>(detail.source);
    uint32_t* const to = row<uint32_t>(detail.result);
    std::copy_n(from, kLanes, values.begin());
    std::copy_n(to, kLanes, results.begin());
    WarpOp exchange = detail;
    exchange.predicate = kNoRow;
    const uint32_t was_computed = source->computed;
    for (int lane = 0; lane < kLanes; ++lane)
      from[lane] = (lanes >> lane & 1) | (was_computed >> lane & 1) << 1;
    shuffle(exchange, mask);
    lanes = computed = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      lanes |= (to[lane] & 1 & mask >> lane) << lane;
      computed |= (to[lane] >> 1 & 1 & mask >> lane) << lane;
    }
    std::copy_n(results.begin(), kLanes, to);
    std::copy_n(values.begin(), kLanes, from);
  } else if (lanes != 0) {
    lanes = mask;  // a vote or a sum is made of all of them
  }
  if (detail.result != kNoRow) poison.set(frame_, detail.result, mask, lanes, computed, origin);
  if (detail.predicate != kNoRow) poison.set(frame_, detail.predicate, mask, 0, 0, nullptr);
}

// Before `op` is executed for `mask`: uses are reported, and what it will write is worked out.
void Core::watch(const MicroOp& op, uint32_t mask) {
  Poison& poison = warp_->poison;
  switch (op.kind) {
    case OpKind::lane:
    case OpKind::lane_guarded:
    case OpKind::lane_not:
      return watch_lane(op, mask);
    case OpKind::load:
    case OpKind::store:
    case OpKind::load_parameter:
    case OpKind::load_slot:
    case OpKind::store_slot:
      return watch_memory(op, mask);
    case OpKind::pack:
    case OpKind::unpack: {
      const PackOp& pack = program_.packs[op.detail];
      uint32_t lanes = 0, computed = 0;
      std::shared_ptr<const UndefinedRead> origin;
      const auto add = [&](RowOffset row) {
        const PoisonedRow* source = row == kNoRow ? nullptr : poison.find(frame_, row);
        if (source == nullptr) return;
        lanes |= source->lanes & mask;
        computed |= source->computed & mask;
        origin = source->origin;
      };
      if (op.kind == OpKind::pack) {
        for (const RowOffset part : pack.parts)
          add(part);
        poison.set(frame_, pack.wide, mask, lanes, computed, origin);
      } else {
        add(pack.wide);
        for (const RowOffset part : pack.parts) {
          if (part != kNoRow) poison.set(frame_, part, mask, lanes, computed, origin);
        }
      }
      return;
    }
    case OpKind::atomic: {
      const AtomicOp& atomic = program_.atomics[op.detail];
      if (!atomic.place.fixed_address) must_be_defined(atomic.place.address, mask, "uses as an address");
      for (uint32_t k = 0; k < atomic.place.count; ++k) {
        must_be_defined(atomic.a[k], mask, "gives to an atomic");
        if (atomic.place.values[k] != kNoRow) poison.set(frame_, atomic.place.values[k], mask, 0, 0, nullptr);
      }
      return;
    }
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::redux:
    case OpKind::elect:
    case OpKind::warp_barrier:
      return watch_warp_op(op, mask);
    case OpKind::matrix:
      return watch_matrix(program_.matrices[op.target]);
    case OpKind::branch_indexed:
      return must_be_defined(op.operands.a, mask, "chooses the way of a switch by");
    case OpKind::prefetch:
    case OpKind::fence:
    case OpKind::nothing:
    case OpKind::branch:
    case OpKind::block_barrier:
    case OpKind::sleep:
    case OpKind::async_commit:
    case OpKind::async_wait:
    case OpKind::bulk_copy:
    case OpKind::bulk_commit:
    case OpKind::bulk_wait:
    case OpKind::tensor_map:
      return;
    case OpKind::exit:
      return poison.forget(nullptr, mask);
    default:
      // It may write any register of the frame.
      return poison.forget(frame_, mask);
  }
}

void Core::run_watched(Split& split) {
  const MicroOp& op = program_.ops[split.pc];
  const uint32_t mask = split.mask;
  pc_ = split.pc;
  uint32_t active = mask;
  if (op.flags & kGuarded) {
    if (!decides_at_will(op.guard)) must_be_defined(op.guard, mask, "takes a branch, or not, by");
    const uint32_t guard = *row<uint32_t>(op.guard);
    active &= op.flags & kGuardNegated ? ~guard : guard;
  }
  note_issued(pc_, pc_ + 1, mask);
  if (op.kind == OpKind::branch) {
    if (active != 0 && active != mask) return branch_diverged(split, pc_, active);
    split.pc = active != 0 ? op.target : pc_ + 1;
    if (active != 0 && (op.flags & kBackEdge)) count_back_edge(split);
    return;
  }
  if (active == 0) {
    split.pc = pc_ + 1;
    return;
  }
  watch(op, active);
  if (op.kind > OpKind::branch) {
    if (active != mask) {
      split.mask = active;
      add_split(split, pc_ + 1, mask & ~active);
    }
    step(split, op, active);
    return;
  }
  if (op.kind == OpKind::lane || op.kind == OpKind::lane_guarded)
    (active == kAllLanes ? op.full : op.masked)(registers_, op.operands, active);
  else if (op.kind == OpKind::load)
    load(op, active);
  else
    step(split, op, active);
  poison_added_ = false;
  split.pc = pc_ + 1;
}

}  // namespace ridge::machine
