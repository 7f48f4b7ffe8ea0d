// The loop: a straight run of micro-operations for the lanes of one split, then the question who goes on.
#include <utility>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/memory/hot_access.h"

namespace ridge::machine {
namespace {

// Back-edges a warp may take before the next warp of the block gets its turn; a loop that only polls pays
// more for each.
constexpr int64_t kSliceBackEdges = 16384;
constexpr int64_t kSplitBackEdges = 1024;
constexpr int64_t kPollCost = 128;

}  // namespace

Core::Core(Launch& launch, Observer* observer)
    : launch_(launch),
      program_(launch.program),
      native_(launch.program.native.get()),
      observer_(observer),
      wants_values_(observer != nullptr && observer->wants_values()),
      loops_(address_loops()),
      caches_(launch.program.cache_count),
      known_loops_(known_access_loops()),
      known_(launch.program.cache_count),
      known_observed_(observer != nullptr ? launch.program.cache_count : 0),
      landed_(observer != nullptr ? launch.program.async_copies.size() : 0) {
  if (observer_ == nullptr) return;
  observer_->attach(*this);
  quiet_ = observer_->quiet_accesses();
  if (quiet_ == nullptr) {
    never_quiet_.resize(launch.program.ops.size());
    quiet_ = never_quiet_.data();
  }
}

void Core::note_issued(uint32_t first, uint32_t last, uint32_t mask) {
  warp_instructions_ += last - first;
  if (observer_ != nullptr) observer_->issued(first, last, mask);
}

Core::SliceEnd Core::run_slice() {
  const uint64_t generation = launch_.memory.generation();
  if (generation != cache_generation_) {
    std::fill(caches_.begin(), caches_.end(), DeviceMemory::Range{});
    forget_accesses();
    cache_generation_ = generation;
  }
  slice_budget_ = kSliceBackEdges;
  polled_ = polled_in_slice_ = yield_now_ = false;
  while (Split* split = choose()) {
    split_budget_ = kSplitBackEdges;
    run_split(*split);
    if (slice_budget_ <= 0 || yield_now_) return polled_in_slice_ ? SliceEnd::spinning : SliceEnd::busy;
  }
  return SliceEnd::parked;
}

// Runs until the split parks, ends, divides, has used up its turn, or meets a leader where others may join
// it.
void Core::run_split(Split& split) {
  frame_ = split.frame;
  registers_ = frame_->registers.get();
  seen_.fill(0);
  if (!warp_->poison.empty()) return run_watched(split);
  const MicroOp* const ops = program_.ops.data();
  const uint32_t* const block_end = program_.block_end.data();
  const NativeEntry* const native = native_ != nullptr ? native_->entries() : nullptr;
  const bool is_observed = observer_ != nullptr;
  if (native != nullptr) prepare_native();
  std::byte* const registers = registers_;
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
        const NativeRun run = (mask == kAllLanes ? native[at].full : native[at].masked)[is_observed].run.load(
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
        native_->interpreted(program_, at, {mask != kAllLanes, is_observed, known_.data()});
      }
      switch (op->kind) {
        case OpKind::lane: {
          // One after the other, without asking what they are.
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
            const uint32_t guard = *row<uint32_t>(op->guard);
            active &= op->flags & kGuardNegated ? ~guard : guard;
            if (active == 0) break;
          }
          load(*op, active);
          if (observer_ != nullptr &&
              poison_added_) {  // from here on the warp is watched, an instruction at a time
            poison_added_ = false;
            note_issued(first, pc_ + 1, mask);
            split.pc = pc_ + 1;
            return;
          }
          break;
        }
        case OpKind::branch: {
          pc = static_cast<uint32_t>(op - ops);
          uint32_t taken = mask;
          if (op->flags & kGuarded) {
            const uint32_t guard = *row<uint32_t>(op->guard);
            taken &= op->flags & kGuardNegated ? ~guard : guard;
          }
          if (taken != 0 && taken != mask) {
            note_issued(first, pc + 1, mask);
            branch_diverged(split, pc, taken);
            return;
          }
          if (taken != 0) {
            note_issued(first, pc + 1, mask);
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
            const uint32_t guard = *row<uint32_t>(op->guard);
            active &= op->flags & kGuardNegated ? ~guard : guard;
            if (active == 0) break;
          }
          pc_ = static_cast<uint32_t>(op - ops);
          if (op->kind == OpKind::lane_guarded) {
            (active == kAllLanes ? op->full : op->masked)(registers_, op->operands, active);
            break;
          }
          if (op->kind < OpKind::branch) {
            step(split, *op, active);
            break;
          }
          // It ends the block. Lanes whose guard is false go on behind it, as a split of their own.
          note_issued(first, pc_ + 1, mask);
          split.pc = pc_;
          if (active != mask) {
            split.mask = active;
            add_split(split, pc_ + 1, mask & ~active);
          }
          if (step(split, *op, active) == Next::reschedule || active != mask) return;
          pc = split.pc;
          if (poison_added_) {  // by ldmatrix
            poison_added_ = false;
            return;
          }
          goto leader;
        }
      }
    }
    note_issued(first, end, mask);
    pc = end;
  leader:
    split.pc = pc;
    seen_.fill(0);
    if (warp_->split_count > 1 && (rotating_ || key_of(split) >= watch_key_)) return;
  }
}

void Core::prepare_native() {
  native_context_.core = this;
  native_context_.known = known_.data();
  native_context_.seen = seen_.data();
  native_context_.shared = block_->shared.get();
  native_context_.log = read_log_;
  native_context_.made_progress = &made_progress_;
  native_context_.warp = warp_->index;
  native_context_.access = access_from_native;
}

// Native code cannot be unwound: what is thrown waits until it has returned.
uint32_t Core::access_from_native(NativeContext* context, uint32_t pc, uint32_t mask) {
  Core& core = *context->core;
  const MicroOp& op = core.program_.ops[pc];
  try {
    if (op.kind == OpKind::store)
      core.store(op, mask);
    else
      core.load(op, mask);
  } catch (...) {
    context->failure = std::current_exception();
    return pc + 1;
  }
  return core.poison_added_ ? pc + 1 : 0;
}

void Core::leave_native(Split& split, uint32_t first, uint32_t pc) {
  if (native_context_.failure) std::rethrow_exception(std::exchange(native_context_.failure, nullptr));
  // From here on the warp is watched, an instruction at a time.
  poison_added_ = false;
  note_issued(first, pc, split.mask);
  split.pc = pc;
}

// Operations of which a program has few, or that take long enough for one more call not to matter. Those that
// end a block set split.pc.
Core::Next Core::step(Split& split, const MicroOp& op, uint32_t mask) {
  switch (op.kind) {
    case OpKind::store:
      store(op, mask);
      break;
    case OpKind::lane_not: {
      *row<uint32_t>(op.detail) = ~*row<uint32_t>(op.target);
      op.masked(registers_, op.operands, mask);
      break;
    }
    case OpKind::load_parameter:
      load_parameter(op, mask);
      break;
    case OpKind::load_slot:
      load_slot(op, mask);
      break;
    case OpKind::store_slot:
      store_slot(op, mask);
      break;
    case OpKind::pack:
      pack(program_.packs[op.detail], mask);
      break;
    case OpKind::unpack:
      unpack(program_.packs[op.detail], mask);
      break;
    case OpKind::atomic:
      atomic(op, mask);
      break;
    case OpKind::fence:
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (observer_ != nullptr) tell_fence(op, mask);
      break;
    case OpKind::is_space:
      is_space(op, mask);
      break;
    case OpKind::map_shared:
      map_shared(op, mask);
      break;
    case OpKind::async_copy:
      async_copy(op, mask);
      break;
    case OpKind::async_commit:
      async_commit(mask);
      break;
    case OpKind::async_wait:
      async_wait(op, mask);
      break;
    case OpKind::active_mask: {
      uint32_t* dst = row<uint32_t>(op.operands.dst);
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
      bulk_copy(op, mask);
      break;
    case OpKind::bulk_commit:
      bulk_commit(mask);
      break;
    case OpKind::bulk_wait:
      bulk_wait(op, mask);
      break;
    case OpKind::tensor_map:
      tensor_map(op, mask);
      break;
    case OpKind::mbarrier:
      mbarrier(op, mask);
      break;
    case OpKind::cluster_arrive:
      cluster_arrive(op, mask);
      break;
    case OpKind::rank_of_address:
      rank_of_address(op, mask);
      break;
    case OpKind::store_async:
      store_async(op, mask);
      break;
    case OpKind::nothing:
    case OpKind::prefetch:
      break;
    case OpKind::texture:
      texture(op, mask);
      break;

    case OpKind::branch_indexed:
      jump_indexed(split, op);
      return Next::reschedule;
    case OpKind::call: {
      const bool leaves = program_.calls[op.detail].builtin == Builtin::none;
      call(split, op);
      return leaves ? Next::reschedule : Next::go_on;
    }
    case OpKind::ret:
      return_lanes(split);
      return Next::reschedule;
    case OpKind::exit:
      exit_lanes(split, split.mask);
      return Next::reschedule;
    case OpKind::block_barrier:
      block_barrier(split, program_.barriers[op.detail]);
      return Next::reschedule;
    case OpKind::warp_barrier:
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::redux:
    case OpKind::elect:
    case OpKind::matrix:
      return warp_op(split, op) ? Next::go_on : Next::reschedule;
    case OpKind::sleep:
      // Who only sleeps, or watches the clock meanwhile, waits for time, which passes. Who asked others for
      // something before waits for them.
      split.pc = pc_ + 1;
      polled_in_slice_ |= polled_ || (mask & warp_->mbarrier_waiting) != 0;
      rotate(split);
      return Next::reschedule;
    case OpKind::mbarrier_try_wait:
      return mbarrier_try_wait(split, op);
    case OpKind::cluster_wait:
      return cluster_wait(split, op);
    case OpKind::breakpoint:
    case OpKind::trap:
      fault(Fault::Kind::trap, culprit(std::countr_zero(mask)),
            op.kind == OpKind::trap
                ? "Trap: the kernel stopped itself (__trap or a failed check of a library)"
                : "Breakpoint: the kernel executed __brkpt and no debugger is attached",
            "find the condition that leads to this line");
    default: {
      const InstructionSource& source = program_.sources[pc_];
      fault(Fault::Kind::unknown_instruction, culprit(std::countr_zero(mask)),
            "Unknown instruction: the virtual GPU cannot execute `" + source.text + "` (PTX line " +
                std::to_string(source.ptx_line) + ")",
            "run this kernel on a GPU, or write this line without the instruction");
    }
  }
  return Next::go_on;
}

// Taken lanes become a split of their own; which of the two goes first is choose()'s to say.
void Core::branch_diverged(Split& split, uint32_t pc, uint32_t taken) {
  const uint32_t fell_through = split.mask & ~taken;
  if (observer_ != nullptr) observer_->warp_diverged(block_->linear, warp_->index, pc, taken, fell_through);
  const MicroOp& op = program_.ops[pc];
  split.pc = pc + 1;
  split.mask = fell_through;
  Split& other = add_split(split, op.target, taken);
  if (op.flags & kBackEdge) count_back_edge(other);
}

void Core::jump_indexed(Split& split, const MicroOp& op) {
  const std::vector<uint32_t>& table = program_.branch_tables[op.detail];
  const uint32_t* index = row<uint32_t>(op.operands.a);
  uint32_t remaining = split.mask;
  bool is_first = true;
  --slice_budget_;
  while (remaining != 0) {
    const int leader = std::countr_zero(remaining);
    if (index[leader] >= table.size()) {
      fault(Fault::Kind::trap, culprit(leader),
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
      add_split(split, table[index[leader]], group);
    }
  }
}

// True when the split has used up its turn, or its warp has.
bool Core::count_back_edge(Split& split) {
  const int64_t cost = polled_ ? kPollCost : 1;
  polled_in_slice_ |= polled_;
  polled_ = false;
  slice_budget_ -= cost;
  if (warp_->split_count > 1) {
    split_budget_ -= cost;
    if (split_budget_ <= 0) {
      rotate(split);
      return true;
    }
  }
  return slice_budget_ <= 0;
}

}  // namespace ridge::machine
