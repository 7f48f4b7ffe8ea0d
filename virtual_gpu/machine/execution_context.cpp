// The functions that every unit uses: faults, splits, and the events of copy groups.
#include "virtual_gpu/machine/execution_context.h"

#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/faults/fault_text.h"

namespace ridge::machine {

void ExecutionContext::notify_groups(uint32_t mask, const std::array<uint32_t, kLanes>& first,
                                     const std::array<uint32_t, kLanes>& last, bool release) {
  while (mask != 0) {
    const auto leader = static_cast<size_t>(std::countr_zero(mask));
    uint32_t alike = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (first[lane] == first[leader] && last[lane] == last[leader]) alike |= 1u << lane;
    }
    mask &= ~alike;
    notify_groups(alike, first[leader], last[leader], release);
  }
}

void ExecutionContext::notify_groups(uint32_t mask, uint32_t first, uint32_t last, bool release) {
  for (uint32_t group = first; group < last; ++group) {
    const SyncPlace place{SyncPlace::Kind::bulk_group, block->linear, warp->index, group};
    if (release)
      observer->released(block->linear, warp->index, mask, place);
    else
      observer->acquired(block->linear, warp->index, mask, place);
  }
}

Split& ExecutionContext::add_split(const Split& like, uint32_t at, uint32_t mask) {
  Split& split = warp->splits[warp->split_count++];
  split = like;
  split.pc = at;
  split.mask = mask;
  split.wait = Wait::none;
  split.sync_passed = false;
  return split;
}

void ExecutionContext::rotate(Split& split) {
  if (warp->split_count > 1) {
    ++split.penalty;
    rotating = true;
    slice_budget -= 16;
  } else {
    yield_now = true;
  }
}

// In a function without lines, such as __trap() in a program for a debugger, use the call that led
// there.
Culprit ExecutionContext::culprit(int lane) const {
  uint32_t at = pc;
  for (const Frame* from = frame; program.sources[at].file.empty() && from->caller != nullptr;
       from = from->caller)
    at = from->call_pc;
  if (program.sources[at].file.empty()) at = pc;
  return {block, warp->index, static_cast<uint32_t>(lane), at};
}

void ExecutionContext::fault(Fault::Kind kind, const Culprit& who, const std::string& what,
                             const std::string& advice, FaultCause cause) const {
  const InstructionSource& source = program.sources[who.pc];
  const Dim3 thread = thread_index(launch.config.block, who.warp * kLanes + who.lane);
  throw LaunchFault{Fault{
      kind, full_message(program, who.pc, who.block->index, thread, what, advice),
      std::string(source.file), source.line, source.ptx_line, who.block->index, thread, source.called_from, advice,
      std::move(cause)}};
}

// Without a default, so that the compiler warns of a kind of instruction that is missing.
std::string ExecutionContext::barrier_name(uint32_t at) const {
  switch (program.ops[at].kind) {
    case OpKind::block_barrier: {
      const BarrierOp& op = program.barriers[program.ops[at].detail];
      return op.count == kNoRow ? "__syncthreads" : "a named barrier";
    }
    case OpKind::cluster_wait:
      return "the cluster's barrier (cluster.sync)";
    case OpKind::warp_barrier:
      return "__syncwarp";
    case OpKind::shuffle:
      return "__shfl_sync";
    case OpKind::vote:
      return "a warp vote (__ballot_sync, __any_sync, __all_sync)";
    case OpKind::match:
      return "__match_sync";
    case OpKind::redux:
      return "__reduce_sync";
    case OpKind::matrix:
      return fmt::format("the matrix instruction `{}`", program.sources[at].text);
    case OpKind::lane:
    case OpKind::lane_guarded:
    case OpKind::lane_not:
    case OpKind::pack:
    case OpKind::unpack:
    case OpKind::load:
    case OpKind::store:
    case OpKind::load_parameter:
    case OpKind::load_slot:
    case OpKind::store_slot:
    case OpKind::atomic:
    case OpKind::prefetch:
    case OpKind::fence:
    case OpKind::is_space:
    case OpKind::map_shared:
    case OpKind::async_copy:
    case OpKind::async_commit:
    case OpKind::async_wait:
    case OpKind::active_mask:
    case OpKind::read_clock:
    case OpKind::allocate_stack:
    case OpKind::save_stack:
    case OpKind::restore_stack:
    case OpKind::nothing:
    case OpKind::grid_dependency:
    case OpKind::bulk_copy:
    case OpKind::bulk_commit:
    case OpKind::bulk_wait:
    case OpKind::tensor_map:
    case OpKind::mbarrier:
    case OpKind::cluster_arrive:
    case OpKind::rank_of_address:
    case OpKind::store_async:
    case OpKind::texture:
    case OpKind::branch:
    case OpKind::branch_indexed:
    case OpKind::call:
    case OpKind::ret:
    case OpKind::exit:
    case OpKind::trap:
    case OpKind::breakpoint:
    case OpKind::elect:
    case OpKind::sleep:
    case OpKind::mbarrier_try_wait:
    case OpKind::unknown:
      return fmt::format("`{}`", program.sources[at].text);
  }
  return {};
}

}  // namespace ridge::machine
