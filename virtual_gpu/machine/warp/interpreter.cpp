// The interpreter loop: executes straight runs of micro-operations for the lanes of one split.
#include <bit>
#include <utility>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/memory/access_fast_path.h"

namespace ridge::machine {
namespace {

// Number of back-edges before the next warp of the block runs; in a loop that only polls each
// counts more.
constexpr int64_t kSliceBackEdges = 16384;
constexpr int64_t kSplitBackEdges = 1024;
constexpr int64_t kPollCost = 128;

}  // namespace

Core::Core(Launch& launch, Observer* observer)
    : context_(launch, observer),
      spaces_(context_),
      caches_(context_, spaces_),
      memory_(context_, spaces_, caches_),
      mbarriers_(context_, spaces_, *this),
      atomics_(context_, spaces_, caches_, mbarriers_),
      copies_(context_, spaces_, caches_, mbarriers_),
      matrix_(context_, spaces_, caches_, memory_),
      textures_(context_, spaces_, caches_),
      barriers_(context_),
      native_(launch.program.native.get()) {
  if (observer != nullptr) observer->attach(*this);
}

void Core::land(Block& block, uint32_t mbarrier) {
  copies_.land_copies(block, mbarrier);
  if (block.has_async_arrivals) copies_.land_arrivals(block, mbarrier);
  if (!block.stores.empty()) atomics_.land_stores(block, mbarrier);
  copies_.land_copies(block, mbarrier);
}

void Core::record_issued(uint32_t first, uint32_t last, uint32_t mask) {
  warp_instructions_ += last - first;
  if (context_.observer != nullptr) context_.observer->issued(first, last, mask);
}

Core::SliceEnd Core::run_slice() {
  caches_.refresh();
  context_.slice_budget = kSliceBackEdges;
  context_.polled = context_.polled_in_slice = context_.yield_now = false;
  while (Split* split = choose()) {
    context_.split_budget = kSplitBackEdges;
    run_split(*split);
    if (context_.slice_budget <= 0 || context_.yield_now)
      return context_.polled_in_slice ? SliceEnd::spinning : SliceEnd::busy;
  }
  return SliceEnd::parked;
}

// Runs until the split parks, ends, diverges, exhausts its budget, or reaches a leader where others
// may join it.
void Core::run_split(Split& split) {
  context_.frame = split.frame;
  context_.registers = context_.frame->registers.get();
  caches_.forget_patterns();
  if (context_.warp->is_stepped) return step_instruction(split);
  const MicroOp* const ops = context_.program.ops.data();
  const uint32_t* const block_end = context_.program.block_end.data();
  const NativeEntry* const native = native_ != nullptr ? native_->entries() : nullptr;
  const bool is_observed = context_.observer != nullptr;
  if (native != nullptr) prepare_native();
  std::byte* const registers = context_.registers;
  uint32_t pc = split.pc;
  uint32_t mask = split.mask;
  for (;;) {
    const uint32_t first = pc;
    const uint32_t end = block_end[pc];
    const MicroOp* op = ops + pc;
    const MicroOp* const last = ops + end;
    for (; op < last; ++op) {
      if (op->stretch != 0 && native != nullptr) {
        const auto at = static_cast<uint32_t>(op - ops);
        const NativeRun run =
            (mask == kAllLanes ? native[at].full : native[at].masked)[is_observed].run.load(
                std::memory_order_acquire);
        if (run != nullptr) {
          const uint32_t stopped = run(registers, mask, &native_context_);
          if (stopped != 0) {
            leave_native(split, first, stopped);
            return;
          }
          op += op->stretch - 1;
          continue;
        }
        native_->interpreted(context_.program, at,
                             {mask != kAllLanes, is_observed, &caches_.cache(0)});
      }
      switch (op->kind) {
        case OpKind::lane: {
          // Execute consecutive lane operations without decoding their kinds.
          const MicroOp* const stop = op + op->run;
          if (mask == kAllLanes) {
            do
              op->full(registers, op->operands, mask);
            while (++op < stop);
          } else {
            do
              op->masked(registers, op->operands, mask);
            while (++op < stop);
          }
          --op;
          break;
        }
        case OpKind::load: {
          uint32_t active = mask;
          if (op->flags & kGuarded) {
            const uint32_t guard = *context_.row<uint32_t>(op->guard);
            active &= op->flags & kGuardNegated ? ~guard : guard;
            if (active == 0) break;
          }
          memory_.load(*op, active);
          if (context_.step_requested) {
            context_.step_requested = false;
            record_issued(first, context_.pc + 1, mask);
            split.pc = context_.pc + 1;
            return;
          }
          break;
        }
        case OpKind::branch: {
          pc = static_cast<uint32_t>(op - ops);
          uint32_t taken = mask;
          if (op->flags & kGuarded) {
            const uint32_t guard = *context_.row<uint32_t>(op->guard);
            taken &= op->flags & kGuardNegated ? ~guard : guard;
          }
          if (taken != 0 && taken != mask) {
            record_issued(first, pc + 1, mask);
            branch_diverged(split, pc, taken);
            return;
          }
          if (taken != 0) {
            record_issued(first, pc + 1, mask);
            pc = op->target;
            if ((op->flags & kBackEdge) && count_back_edge(split)) {
              split.pc = pc;
              return;
            }
            goto leader;
          }
          break;  // falls through; a branch ends its block, so the loop ends too
        }
        default: {
          uint32_t active = mask;
          if (op->flags & kGuarded) {
            const uint32_t guard = *context_.row<uint32_t>(op->guard);
            active &= op->flags & kGuardNegated ? ~guard : guard;
            if (active == 0) break;
          }
          context_.pc = static_cast<uint32_t>(op - ops);
          if (op->kind == OpKind::lane_guarded) {
            if (op->flags & kShowsOperands) show_operands(*op, active);
            (active == kAllLanes ? op->full : op->masked)(context_.registers, op->operands, active);
            break;
          }
          if (op->kind < OpKind::branch) {
            if (!lets_others_run(*op, active) && step(split, *op, active) == Next::proceed) break;
            record_issued(first, context_.pc, mask);
            split.pc = context_.pc;
            return;
          }
          // The instruction ends the basic block. Lanes whose guard is false continue after it as a
          // separate split.
          record_issued(first, context_.pc + 1, mask);
          split.pc = context_.pc;
          if (active != mask) {
            split.mask = active;
            context_.add_split(split, context_.pc + 1, mask & ~active);
          }
          if (step(split, *op, active) == Next::reschedule || active != mask) return;
          pc = split.pc;
          if (context_.step_requested) {
            context_.step_requested = false;
            return;
          }
          goto leader;
        }
      }
    }
    record_issued(first, end, mask);
    pc = end;
  leader:
    split.pc = pc;
    caches_.forget_patterns();
    if (context_.warp->split_count > 1 && (context_.rotating || key_of(split) >= join_key_)) return;
  }
}

void Core::step_warp(bool on) {
  context_.warp->is_stepped = on;
  context_.step_requested |= on;
}

void Core::step_block() {
  for (Warp& warp : context_.block->warps)
    warp.is_stepped = true;
}

// Executes one instruction of a single-stepped warp, after reporting it to the observer.
void Core::step_instruction(Split& split) {
  const MicroOp& op = context_.program.ops[split.pc];
  const uint32_t mask = split.mask;
  context_.pc = split.pc;
  uint32_t active = mask;
  if (op.flags & kGuarded) {
    const uint32_t guard = *context_.row<uint32_t>(op.guard);
    active &= op.flags & kGuardNegated ? ~guard : guard;
  }
  if (active != 0 && lets_others_run(op, active)) return;
  record_issued(context_.pc, context_.pc + 1, mask);
  context_.observer->before_instruction(
      {context_.block->linear, context_.warp->index, context_.pc, mask, active});
  context_.step_requested = false;
  if (op.kind == OpKind::branch) {
    if (active != 0 && active != mask) return branch_diverged(split, context_.pc, active);
    split.pc = active != 0 ? op.target : context_.pc + 1;
    if (active != 0 && (op.flags & kBackEdge)) count_back_edge(split);
    return;
  }
  if (active == 0) {
    split.pc = context_.pc + 1;
    return;
  }
  if (op.kind > OpKind::branch) {
    if (active != mask) {
      split.mask = active;
      context_.add_split(split, context_.pc + 1, mask & ~active);
    }
    step(split, op, active);
    context_.step_requested = false;
    return;
  }
  if (op.flags & kShowsOperands) show_operands(op, active);
  if (op.kind == OpKind::lane || op.kind == OpKind::lane_guarded)
    (active == kAllLanes ? op.full : op.masked)(context_.registers, op.operands, active);
  else if (op.kind == OpKind::load)
    memory_.load(op, active);
  else
    step(split, op, active);
  context_.step_requested = false;
  split.pc = context_.pc + 1;
}

void Core::show_operands(const MicroOp& op, uint32_t mask) const {
  if (context_.observer == nullptr) return;
  context_.observer->rounded_operands(context_.pc, mask, context_.registers + op.operands.a,
                                      context_.registers + op.operands.b);
}

void Core::prepare_native() {
  native_context_.core = this;
  caches_.export_to(native_context_);
  native_context_.shared = context_.block->shared.get();
  native_context_.made_progress = &context_.made_progress;
  native_context_.warp = context_.warp->index;
  native_context_.access = access_from_native;
}

// Native code cannot be unwound: an exception is kept until it has returned.
uint32_t Core::access_from_native(NativeContext* context, uint32_t pc, uint32_t mask) {
  Core& core = *context->core;
  const MicroOp& op = core.context_.program.ops[pc];
  try {
    if (op.kind == OpKind::store)
      core.memory_.store(op, mask);
    else
      core.memory_.load(op, mask);
  } catch (...) {
    context->failure = std::current_exception();
    return pc + 1;
  }
  return core.context_.step_requested ? pc + 1 : 0;
}

void Core::leave_native(Split& split, uint32_t first, uint32_t pc) {
  if (native_context_.failure)
    std::rethrow_exception(std::exchange(native_context_.failure, nullptr));
  context_.step_requested = false;
  record_issued(first, pc, split.mask);
  split.pc = pc;
}

// Ends the block's time slice in front of an operation that may set what others wait for, or that
// takes work a second time (grid/time_slices.h). Asked once per execution: it notes what it has seen.
bool Core::lets_others_run(const MicroOp& op, uint32_t mask) {
  if ((op.flags & kSignals) == 0) return false;
  const bool is_second = context_.one_signal && std::exchange(context_.has_signalled, true);
  if (is_second || (context_.others_wait && context_.has_looked)) {
    context_.slice_is_over = context_.yield_now = true;
    return true;
  }
  if ((op.flags & kTakesWork) == 0 || !context_.must_share_work || !std::has_single_bit(mask)) return false;
  if (std::exchange(context_.warp->took_work_in, context_.slice) != context_.slice) return false;
  context_.slice_is_over = context_.yield_now = context_.shares_work = true;
  return true;
}

// True when the split, or its warp, has used up its budget.
bool Core::count_back_edge(Split& split) {
  const int64_t cost = context_.polled ? kPollCost : 1;
  context_.polled_in_slice |= context_.polled;
  context_.polled = false;
  context_.slice_budget -= cost;
  if (context_.warp->split_count > 1) {
    context_.split_budget -= cost;
    if (context_.split_budget <= 0) {
      context_.rotate(split);
      return true;
    }
  }
  return context_.slice_budget <= 0;
}

}  // namespace ridge::machine
