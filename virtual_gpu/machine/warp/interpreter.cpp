// The interpreter loop: executes straight runs of micro-operations for the lanes of one split.
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
            (active == kAllLanes ? op->full : op->masked)(context_.registers, op->operands, active);
            break;
          }
          if (op->kind < OpKind::branch) {
            step(split, *op, active);
            break;
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
  if (op.kind == OpKind::lane || op.kind == OpKind::lane_guarded)
    (active == kAllLanes ? op.full : op.masked)(context_.registers, op.operands, active);
  else if (op.kind == OpKind::load)
    memory_.load(op, active);
  else
    step(split, op, active);
  context_.step_requested = false;
  split.pc = context_.pc + 1;
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

// Operations that are rare, or slow enough for a further call not to matter. Those that end a block
// set split.pc.
Next Core::step(Split& split, const MicroOp& op, uint32_t mask) {
  switch (op.kind) {
    case OpKind::store:
      memory_.store(op, mask);
      break;
    case OpKind::lane_not: {
      *context_.row<uint32_t>(op.detail) = ~*context_.row<uint32_t>(op.target);
      op.masked(context_.registers, op.operands, mask);
      break;
    }
    case OpKind::load_parameter:
      memory_.load_parameter(op, mask);
      break;
    case OpKind::load_slot:
      memory_.load_slot(op, mask);
      break;
    case OpKind::store_slot:
      memory_.store_slot(op, mask);
      break;
    case OpKind::pack:
      pack(context_.program.packs[op.detail], mask);
      break;
    case OpKind::unpack:
      unpack(context_.program.packs[op.detail], mask);
      break;
    case OpKind::atomic:
      atomics_.atomic(op, mask);
      break;
    case OpKind::fence:
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (context_.observer != nullptr) notify_fence(op, mask);
      break;
    case OpKind::grid_dependency:
      if (context_.observer != nullptr)
        context_.observer->grid_dependency(context_.block->linear, context_.warp->index, mask, op.target == 1);
      break;
    case OpKind::is_space:
      is_space(op, mask);
      break;
    case OpKind::map_shared:
      map_shared(op, mask);
      break;
    case OpKind::async_copy:
      copies_.async_copy(op, mask);
      break;
    case OpKind::async_commit:
      copies_.async_commit(mask);
      break;
    case OpKind::async_wait:
      copies_.async_wait(op, mask);
      break;
    case OpKind::active_mask: {
      uint32_t* dst = context_.row<uint32_t>(op.operands.dst);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (mask >> lane & 1) dst[lane] = mask;
      }
      break;
    }
    case OpKind::read_clock:
      read_clock(op, mask);
      break;
    case OpKind::allocate_stack:
      allocate_stack(op, mask);
      break;
    case OpKind::save_stack:
      save_stack(op, mask);
      break;
    case OpKind::restore_stack:
      restore_stack(op, mask);
      break;
    case OpKind::bulk_copy:
      copies_.bulk_copy(op, mask);
      break;
    case OpKind::bulk_commit:
      copies_.bulk_commit(mask);
      break;
    case OpKind::bulk_wait:
      copies_.bulk_wait(op, mask);
      break;
    case OpKind::tensor_map:
      copies_.tensor_map(op, mask);
      break;
    case OpKind::mbarrier:
      mbarriers_.mbarrier(op, mask);
      break;
    case OpKind::cluster_arrive:
      barriers_.cluster_arrive(op, mask);
      break;
    case OpKind::rank_of_address:
      atomics_.rank_of_address(op, mask);
      break;
    case OpKind::store_async:
      atomics_.store_async(op, mask);
      break;
    case OpKind::nothing:
    case OpKind::prefetch:
      break;
    case OpKind::texture:
      textures_.texture(op, mask);
      break;

    case OpKind::branch_indexed:
      jump_indexed(split, op);
      return Next::reschedule;
    case OpKind::call: {
      const bool leaves = context_.program.calls[op.detail].builtin == Builtin::none;
      call(split, op);
      return leaves ? Next::reschedule : Next::proceed;
    }
    case OpKind::ret:
      return_lanes(split);
      return Next::reschedule;
    case OpKind::exit:
      exit_lanes(split, split.mask);
      return Next::reschedule;
    case OpKind::block_barrier:
      barriers_.block_barrier(split, context_.program.barriers[op.detail]);
      return Next::reschedule;
    case OpKind::warp_barrier:
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::redux:
    case OpKind::elect:
    case OpKind::matrix:
      return warp_op(split, op) ? Next::proceed : Next::reschedule;
    case OpKind::sleep:
      // A thread that only sleeps, or reads the clock meanwhile, waits for time to pass. A thread
      // that polled something before waits for other threads.
      split.pc = context_.pc + 1;
      context_.polled_in_slice |= context_.polled || (mask & context_.warp->mbarrier_waiting) != 0;
      context_.rotate(split);
      return Next::reschedule;
    case OpKind::mbarrier_try_wait:
      return mbarriers_.mbarrier_try_wait(split, op);
    case OpKind::cluster_wait:
      return barriers_.cluster_wait(split, op);
    case OpKind::breakpoint:
    case OpKind::trap:
      context_.fault(Fault::Kind::trap, context_.culprit(std::countr_zero(mask)),
                     op.kind == OpKind::trap
                         ? "Trap: the kernel stopped itself (__trap or a failed check of a library)"
                         : "Breakpoint: the kernel executed __brkpt and no debugger is attached",
                     "find the condition that leads to this line");
    default: {
      const InstructionSource& source = context_.program.sources[context_.pc];
      context_.fault(Fault::Kind::unknown_instruction, context_.culprit(std::countr_zero(mask)),
                     "Unknown instruction: the virtual GPU cannot execute `" + source.text +
                         "` (PTX line " + std::to_string(source.ptx_line) + ")",
                     "run this kernel on a GPU, or write this line without the instruction");
    }
  }
  return Next::proceed;
}

// The lanes that take the branch become a new split; choose() decides which of the two runs first.
void Core::branch_diverged(Split& split, uint32_t pc, uint32_t taken) {
  const uint32_t fell_through = split.mask & ~taken;
  if (context_.observer != nullptr)
    context_.observer->warp_diverged(context_.block->linear, context_.warp->index, pc, taken,
                                     fell_through);
  const MicroOp& op = context_.program.ops[pc];
  split.pc = pc + 1;
  split.mask = fell_through;
  Split& other = context_.add_split(split, op.target, taken);
  if (op.flags & kBackEdge) count_back_edge(other);
}

void Core::jump_indexed(Split& split, const MicroOp& op) {
  const std::vector<uint32_t>& table = context_.program.branch_tables[op.detail];
  const uint32_t* index = context_.row<uint32_t>(op.operands.a);
  uint32_t remaining = split.mask;
  bool is_first = true;
  --context_.slice_budget;
  while (remaining != 0) {
    const int leader = std::countr_zero(remaining);
    if (index[leader] >= table.size()) {
      context_.fault(Fault::Kind::trap, context_.culprit(leader),
                     "Bad jump: index " + std::to_string(index[leader]) + " of a jump table with " +
                         std::to_string(table.size()) + " entries",
                     "check the value that the switch is on");
    }
    uint32_t group = 0;
    for (uint32_t rest = remaining; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (index[lane] == index[leader]) group |= 1u << lane;
    }
    remaining &= ~group;
    if (is_first) {
      split.mask = group;
      split.pc = table[index[leader]];
      is_first = false;
    } else {
      context_.add_split(split, table[index[leader]], group);
    }
  }
}

// True when the split, or its warp, has exhausted its budget.
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
