// Taint tracking: the effect of each kind of instruction on the taint of its destination registers.
#include "virtual_gpu/observe/uninitialised/taint_tracker.h"

#include <bit>
#include <string_view>

#include "virtual_gpu/machine/memory/address_windows.h"
#include "virtual_gpu/machine/warp/shuffle_source.h"

namespace ridge::observe {

using machine::address_windows;
using machine::AtomicOp;
using machine::kCarryRow;
using machine::kLanes;
using machine::kNoRow;
using machine::MemoryOp;
using machine::MemorySpace;
using machine::MicroOp;
using machine::OpKind;
using machine::PackOp;
using machine::WarpOp;

namespace {

// The opcode in a source text, after its guard.
std::string_view opcode_of(std::string_view text) {
  if (text.starts_with('@')) {
    const size_t space = text.find(' ');
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return text.substr(0, text.find(' '));
}

}  // namespace

void TaintTracker::propagate_lane(const Scope& scope, const MicroOp& op, uint32_t mask) const {
  TaintMap& taint = scope.taint;
  const std::string_view opcode = opcode_of(program().sources[scope.pc].text);
  const bool moves = opcode.starts_with("mov.") || opcode.starts_with("cvta");
  uint32_t lanes = 0, computed = 0;
  std::shared_ptr<const UndefinedRead> origin;
  const auto add = [&](RowOffset row, uint32_t of) {
    const TaintedRow* source = row == kNoRow || row == kCarryRow ? nullptr : taint.find(scope.frame, row);
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
      if (const TaintedRow* source = taint.find(scope.frame, side)) computed |= source->computed & lanes;
    }
    add(op.kind == OpKind::lane_not ? op.target : op.operands.c, mask);
  } else if (opcode == "and.pred" || opcode == "or.pred") {
    // `i < n && a[i] < x` may evaluate a[i] first: false AND x is false, true OR x is true.
    const auto passes = [&](RowOffset side) {
      const bool negated = op.kind == OpKind::lane_not && side == op.detail;
      const RowOffset source = negated ? op.target : side;
      const TaintedRow* tainted = taint.find(scope.frame, source);
      const uint32_t is_undefined = tainted == nullptr ? 0 : tainted->lanes;
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
    if (row != kCarryRow) taint.set(scope.frame, row, mask, lanes, computed, origin);
  };
  put(op.operands.dst);
  put(op.operands.dst2);
}

void TaintTracker::propagate_pack(const Scope& scope, const MicroOp& op, uint32_t mask) const {
  TaintMap& taint = scope.taint;
  const PackOp& pack = program().packs[op.detail];
  uint32_t lanes = 0, computed = 0;
  std::shared_ptr<const UndefinedRead> origin;
  const auto add = [&](RowOffset row) {
    const TaintedRow* source = row == kNoRow ? nullptr : taint.find(scope.frame, row);
    if (source == nullptr) return;
    lanes |= source->lanes & mask;
    computed |= source->computed & mask;
    origin = source->origin;
  };
  if (op.kind == OpKind::pack) {
    for (const RowOffset part : pack.parts)
      add(part);
    taint.set(scope.frame, pack.wide, mask, lanes, computed, origin);
    return;
  }
  add(pack.wide);
  for (const RowOffset part : pack.parts) {
    if (part != kNoRow) taint.set(scope.frame, part, mask, lanes, computed, origin);
  }
}

bool TaintTracker::stores_globally(const MemoryOp& op, uint32_t mask) const {
  if (op.space != MemorySpace::generic) return op.space == MemorySpace::global;
  if (op.fixed_address || !op.wide_address) return false;
  const uint64_t address =
      row<uint64_t>(op.address)[std::countr_zero(mask)] + static_cast<uint64_t>(op.offset);
  return address < address_windows().begin || address >= address_windows().end;
}

void TaintTracker::propagate_memory(const Scope& scope, const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program().memory[op.detail];
  TaintMap& taint = scope.taint;
  const bool is_store = op.kind == OpKind::store || op.kind == OpKind::store_slot;
  if ((op.kind == OpKind::load || op.kind == OpKind::store) && !memory.fixed_address)
    require_defined(scope, memory.address, mask, "uses as an address");
  if (op.kind == OpKind::store_slot || op.kind == OpKind::load_slot) {
    // A .param variable of a call: rows of words, treated as copies of complete registers.
    for (uint32_t k = 0; k < memory.count; ++k) {
      const RowOffset word =
          memory.address +
          (static_cast<RowOffset>(memory.offset) + k * memory.element_bytes) / 4 * (kLanes * 4);
      if (memory.values[k] == kNoRow) continue;
      const RowOffset from = is_store ? memory.values[k] : word, to = is_store ? word : memory.values[k];
      const TaintedRow* source = taint.find(scope.frame, from);
      const uint32_t lanes = source == nullptr ? 0 : source->lanes & mask;
      const uint32_t computed = source == nullptr ? 0 : source->computed & mask;
      const auto origin = source == nullptr ? nullptr : source->origin;
      taint.set(scope.frame, to, mask, lanes, computed, origin);
    }
    return;
  }
  // Lanes that store only undefined elements. If another element is defined, the data is a struct
  // with padding.
  uint32_t nothing_else = mask;
  for (uint32_t k = 0; is_store && k < memory.count; ++k) {
    const TaintedRow* value = memory.values[k] == kNoRow ? nullptr : taint.find(scope.frame, memory.values[k]);
    nothing_else &= value == nullptr ? 0 : value->lanes;
  }
  for (uint32_t k = 0; k < memory.count; ++k) {
    const RowOffset row = memory.values[k];
    if (row == kNoRow) continue;
    if (!is_store) {
      taint.set(scope.frame, row, mask, 0, 0, nullptr);
    } else if (const TaintedRow* value = taint.find(scope.frame, row)) {
      // Copying global memory with its padding is no use, nor is computing with shared memory,
      // since a tile need not be full. A value that moves from one to the other, or is computed
      // from global memory and stored, is used.
      // What a thread can only read with a load or ldmatrix keeps its taint in shared memory.
      // Nor is copying a variable without a value: the member of a struct that is not used.
      const bool from_global = value->origin->space == MemorySpace::global;
      const bool may_be_copied = (from_global && value->origin->history.empty()) || value->origin->is_unset;
      const uint32_t used = (value->computed | (may_be_copied ? 0 : value->lanes & nothing_else)) & mask;
      const bool keeps = stores_globally(memory, mask) ||
                         (from_global && memory.space == MemorySpace::shared && reports_shared_stores_);
      if (used != 0 && keeps && !is_benign_in_library(scope, *value) && !defer(scope, memory, *value, used)) report(scope, *value, used, "stores");
    }
  }
}

void TaintTracker::propagate_atomic(const Scope& scope, const AtomicOp& op, uint32_t mask) const {
  if (!op.place.fixed_address) require_defined(scope, op.place.address, mask, "uses as an address");
  for (uint32_t k = 0; k < op.place.count; ++k) {
    require_defined(scope, op.a[k], mask, "gives to an atomic");
    if (op.place.values[k] != kNoRow) scope.taint.set(scope.frame, op.place.values[k], mask, 0, 0, nullptr);
  }
}

void TaintTracker::propagate_warp_op(const Scope& scope, const MicroOp& op, uint32_t mask) const {
  const WarpOp& detail = program().warp_ops[op.detail];
  TaintMap& taint = scope.taint;
  if (detail.members != kNoRow) require_defined(scope, detail.members, mask, "uses as a mask");
  if (op.kind == OpKind::warp_barrier || op.kind == OpKind::elect) return;
  const TaintedRow* source = taint.find(scope.frame, detail.source);
  uint32_t lanes = source == nullptr ? 0 : source->lanes & mask;
  const auto origin = source == nullptr ? nullptr : source->origin;
  uint32_t computed = lanes != 0 ? mask : 0;
  if (op.kind == OpKind::shuffle && lanes != 0) {
    const uint32_t from = lanes, from_computed = source->computed;
    const uint32_t *b = row<uint32_t>(detail.b), *c = row<uint32_t>(detail.c);
    lanes = computed = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      int at = machine::shuffle_source(detail.mode, lane, b[lane], c[lane]).lane;
      if (!(mask >> at & 1)) at = lane;
      lanes |= (from >> at & 1) << lane;
      computed |= (from_computed >> at & 1) << lane;
    }
  } else if (lanes != 0) {
    lanes = mask;  // a vote or a reduction combines all lanes
  }
  if (detail.result != kNoRow) taint.set(scope.frame, detail.result, mask, lanes, computed, origin);
  if (detail.predicate != kNoRow) taint.set(scope.frame, detail.predicate, mask, 0, 0, nullptr);
}

// Without a default, so that the compiler warns of a kind of instruction that is missing.
void TaintTracker::propagate(const Scope& scope, const MicroOp& op, uint32_t mask) {
  switch (op.kind) {
    case OpKind::lane:
    case OpKind::lane_guarded:
    case OpKind::lane_not:
      return propagate_lane(scope, op, mask);
    case OpKind::load:
    case OpKind::store:
    case OpKind::load_parameter:
    case OpKind::load_slot:
    case OpKind::store_slot:
      return propagate_memory(scope, op, mask);
    case OpKind::pack:
    case OpKind::unpack:
      return propagate_pack(scope, op, mask);
    case OpKind::atomic:
      return propagate_atomic(scope, program().atomics[op.detail], mask);
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::redux:
    case OpKind::elect:
    case OpKind::warp_barrier:
      return propagate_warp_op(scope, op, mask);
    case OpKind::matrix:
      return propagate_matrix(scope, program().matrices[op.target]);
    case OpKind::branch_indexed:
      return require_defined(scope, op.operands.a, mask, "selects the branch of a switch by");
    case OpKind::prefetch:
    case OpKind::fence:
    case OpKind::nothing:
    case OpKind::grid_dependency:
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
      return scope.taint.forget(nullptr, mask);
    case OpKind::is_space:
    case OpKind::map_shared:
    case OpKind::async_copy:
    case OpKind::active_mask:
    case OpKind::read_clock:
    case OpKind::allocate_stack:
    case OpKind::save_stack:
    case OpKind::restore_stack:
    case OpKind::mbarrier:
    case OpKind::cluster_arrive:
    case OpKind::rank_of_address:
    case OpKind::store_async:
    case OpKind::texture:
    case OpKind::call:
    case OpKind::ret:
    case OpKind::trap:
    case OpKind::breakpoint:
    case OpKind::mbarrier_try_wait:
    case OpKind::cluster_wait:
    case OpKind::unknown:
      // They may write any register of the frame.
      return scope.taint.forget(scope.frame, mask);
  }
}

}  // namespace ridge::observe
