// Taint tracking: sources of taint, and uses.
#include "virtual_gpu/observe/uninitialised/taint_tracker.h"

#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/matrix/matrix_op.h"

namespace ridge::observe {

using machine::Access;
using machine::kGuarded;
using machine::kNoRow;
using machine::MatrixKind;
using machine::MemoryOp;
using machine::MemorySpace;
using machine::MicroOp;
using machine::OpKind;
using machine::Program;

namespace {

MemorySpace memory_space(machine::AccessSpace space) {
  switch (space) {
    case machine::AccessSpace::shared:
      return MemorySpace::shared;
    case machine::AccessSpace::local:
      return MemorySpace::local;
    case machine::AccessSpace::constant:
      return MemorySpace::constant;
    case machine::AccessSpace::param:
      return MemorySpace::parameter;
    default:
      return MemorySpace::global;
  }
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
      return true;  // need not be exact: a row that is never read only costs time
  }
}

}  // namespace

TaintTracker::TaintTracker(const CheckedLaunch& launch) : launch_(launch) {
  if (!launch.options.uninitialised) return;
  reports_shared_stores_ =
      launch.options.results == nullptr ||
      std::any_of(program().ops.begin(), program().ops.end(), [&](const MicroOp& op) {
        return op.kind == OpKind::bulk_copy ||
               (op.kind == OpKind::matrix && program().matrices[op.target].kind == MatrixKind::group_product);
      });
  const machine::FunctionCode& kernel = program().functions[0];
  for (const RowOffset row : kernel.unset) {
    auto origin = std::make_shared<UndefinedRead>();
    origin->is_unset = true;
    origin->space = MemorySpace::local;  // private to the thread
    origin->lanes = ~0u;
    origin->instruction = kernel.first;
    while (origin->instruction < kernel.end && !reads_row(program(), program().ops[origin->instruction], row))
      ++origin->instruction;
    if (origin->instruction < kernel.end) unset_.push_back({row, std::move(origin)});
  }
}

void TaintTracker::taint_unset(const Scope& scope, uint32_t lanes) {
  scope.block.has_started[scope.warp] = true;
  for (const UnsetRegister& unset : unset_)
    scope.taint.set(scope.frame, unset.row, lanes, lanes, 0, unset.origin);
}

bool TaintTracker::is_ever_read(uint32_t pc, RowOffset row) {
  const auto& functions = program().functions;
  const auto code = std::find_if(functions.begin(), functions.end(),
                                 [&](const auto& f) { return f.first <= pc && pc < f.end; });
  if (code == functions.end()) return true;
  const auto function = static_cast<uint64_t>(code - functions.begin());
  const auto [it, is_new] = ever_read_.try_emplace(function << 32 | row, false);
  if (!is_new) return it->second;
  for (uint32_t at = code->first; at < code->end && !it->second; ++at)
    it->second = reads_row(program(), program().ops[at], row);
  return it->second;
}

void TaintTracker::loaded(BlockTaint& block, const Access& access, const UndefinedLanes& undefined) {
  const MicroOp& op = program().ops[access.instruction];
  const Scope scope = scope_of(block, access.block, access.warp, access.instruction);
  if (op.kind == OpKind::matrix && program().matrices[op.target].kind == MatrixKind::load)
    return taint_fragments(scope, program().matrices[op.target], access, undefined);
  if (op.kind != OpKind::load) return;
  const MemoryOp& memory = program().memory[op.detail];
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  auto read = std::make_shared<UndefinedRead>();
  read->instruction = access.instruction;
  read->bytes = memory.element_bytes;
  read->lanes = undefined.lanes;
  read->space = memory_space(access.space);
  if (access.space == machine::AccessSpace::shared && !block.stored.empty()) {
    const auto known = block.stored.find(addresses[std::countr_zero(undefined.lanes)] / 4);
    if (known != block.stored.end()) {
      read->earlier = known->second.origin;
      read->stored_by = known->second.instruction;
    }
  }
  if (access.space == machine::AccessSpace::global && launch_.options.results != nullptr)
    read->history = history_at(addresses[std::countr_zero(undefined.lanes)]);
  // An element with some defined bytes counts as defined.
  const uint32_t all = memory.element_bytes == 32 ? ~0u : (1u << memory.element_bytes) - 1;
  for (uint32_t k = 0; k < memory.count; ++k) {
    if (memory.values[k] == kNoRow || !is_ever_read(access.instruction, memory.values[k])) continue;
    uint32_t lanes = 0;
    for (uint32_t rest = undefined.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      if ((undefined.bytes[lane] >> (k * memory.element_bytes) & all) != all) continue;
      lanes |= 1u << lane;
      read->addresses[lane] = addresses[lane] + k * memory.element_bytes;
    }
    if (lanes == 0) continue;
    scope.taint.set(scope.frame, memory.values[k], lanes, lanes, 0, read);
    machine_->step_warp(true);
  }
}

void TaintTracker::find_stored(const BlockTaint& block, const Access& access,
                               UndefinedLanes& undefined) const {
  const MicroOp& op = program().ops[access.instruction];
  const TaintMap& taint = block.warps[access.warp];
  if (op.kind != OpKind::store || taint.empty()) return;
  const MemoryOp& memory = program().memory[op.detail];
  const uint32_t all = (1u << memory.element_bytes) - 1;
  for (uint32_t k = 0; k < memory.count; ++k) {
    if (memory.values[k] == kNoRow) continue;
    const TaintedRow* tainted = taint.find(machine_->frame(), memory.values[k]);
    if (tainted == nullptr) continue;
    for (uint32_t rest = tainted->lanes & access.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (!(undefined.lanes >> lane & 1)) undefined.bytes[lane] = 0;
      undefined.lanes |= 1u << lane;
      undefined.bytes[lane] |= all << (k * memory.element_bytes);
    }
  }
}

void TaintTracker::remember_stored(BlockTaint& block, const Access& access,
                                   const UndefinedLanes& undefined) const {
  const MicroOp& op = program().ops[access.instruction];
  if (op.kind != OpKind::store || access.owner != access.block) return;
  const MemoryOp& memory = program().memory[op.detail];
  const TaintedRow* tainted = memory.values[0] == kNoRow
                                  ? nullptr
                                  : block.warps[access.warp].find(machine_->frame(), memory.values[0]);
  if (tainted == nullptr) return;
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  // In a chain of computations the first origin matters.
  const auto origin = tainted->origin->earlier ? tainted->origin->earlier : tainted->origin;
  const uint32_t instruction = tainted->origin->earlier ? tainted->origin->stored_by : access.instruction;
  for (uint32_t rest = undefined.lanes; rest != 0; rest &= rest - 1)
    block.stored[addresses[std::countr_zero(rest)] / 4] = {origin, instruction};
}

void TaintTracker::shuffled(BlockTaint& block, const machine::AbsentShuffle& shuffle) {
  const machine::WarpOp& op = program().warp_ops[program().ops[shuffle.instruction].detail];
  if (!is_ever_read(shuffle.instruction, op.result)) return;
  const Scope scope = scope_of(block, shuffle.block, shuffle.warp, shuffle.instruction);
  auto read = std::make_shared<UndefinedRead>();
  read->from_lane = true;
  read->instruction = shuffle.instruction;
  read->space = MemorySpace::local;  // private to the thread, like a register
  read->lanes = shuffle.lanes;
  read->members = op.members == kNoRow ? shuffle.mask : row<uint32_t>(op.members)[std::countr_zero(shuffle.lanes)];
  read->live = shuffle.live;
  for (size_t lane = 0; lane < 32; ++lane)
    read->addresses[lane] = shuffle.lanes >> lane & 1 ? shuffle.sources[lane] : 0;
  scope.taint.set(scope.frame, op.result, shuffle.lanes, shuffle.lanes, 0, read);
  machine_->step_warp(true);
}

void TaintTracker::before(BlockTaint& block, const machine::SteppedInstruction& step) {
  const MicroOp& op = program().ops[step.instruction];
  const Scope scope = scope_of(block, step.block, step.warp, step.instruction);
  if (!unset_.empty() && !block.has_started[step.warp]) taint_unset(scope, step.mask);
  if ((op.flags & kGuarded) && !is_benign_library_branch(scope, op.guard))
    require_defined(scope, op.guard, step.mask, "takes a branch, or not, by");
  if (step.active != 0 && op.kind != OpKind::branch) propagate(scope, op, step.active);
  machine_->step_warp(!scope.taint.empty());
}

// Algorithms of the toolkit (CUB's and thrust's merges and set operations) compare elements past
// the end of a tile, in shared memory or in registers without a value, before they test whether
// they exist. Both branches give the same result.
bool TaintTracker::is_benign_library_branch(const Scope& scope, RowOffset guard) const {
  const TaintedRow* tainted = scope.taint.find(scope.frame, guard);
  return tainted != nullptr && (tainted->origin->space == MemorySpace::shared || tainted->origin->is_unset) &&
         program().sources[scope.pc].is_library;
}

// CUB computes with what it does not use: its raking scans subtract the thread's own items again,
// which need not be set (a radix sort has more threads than digits), and the aggregate of an
// incomplete last tile is stored, but never read. No taint can show that.
bool TaintTracker::is_benign_in_library(const Scope& scope, const TaintedRow& row) const {
  const UndefinedRead& first = row.origin->earlier ? *row.origin->earlier : *row.origin;
  return (first.is_unset || first.space == MemorySpace::shared) &&
         program().sources[first.instruction].is_library && program().sources[scope.pc].is_library;
}

void TaintTracker::require_defined(const Scope& scope, RowOffset row, uint32_t mask, const char* use) const {
  const TaintedRow* tainted = scope.taint.find(scope.frame, row);
  if (tainted == nullptr || (tainted->lanes & mask) == 0 || is_benign_in_library(scope, *tainted)) return;
  report(scope, TaintedRow(*tainted), tainted->lanes & mask, use);
}

}  // namespace ridge::observe
