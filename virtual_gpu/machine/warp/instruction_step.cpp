// Executes one instruction that is no lane operation, load or direct branch.
#include <fmt/format.h>

#include <atomic>
#include <bit>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/memory/access_fast_path.h"

namespace ridge::machine {

// Operations of which a program has few, or that take long enough for one more call not to matter. Those that
// end a block set split.pc.
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
      // Who only sleeps, or watches the clock meanwhile, waits for time, which passes. Who asked others for
      // something before waits for them.
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
                     fmt::format("Unknown instruction: the virtual GPU cannot execute `{}` (PTX line {})",
                                 source.text, source.ptx_line),
                     "run this kernel on a GPU, or write this line without the instruction");
    }
  }
  return Next::proceed;
}

// Taken lanes become a split of their own; which of the two goes first is choose()'s to say.
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

}  // namespace ridge::machine
