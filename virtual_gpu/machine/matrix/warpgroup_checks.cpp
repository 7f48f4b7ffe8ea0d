// The requirements of wgmma on its threads: a fence before it, and all four warps.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/matrix/matrix_unit.h"
#include "virtual_gpu/machine/matrix/warpgroup_queue.h"

namespace ridge::machine {
namespace {

constexpr size_t kGroupWarps = 4;

}  // namespace

void MatrixUnit::fence_warpgroup() {
  if (!context_.warp->warpgroup) context_.warp->warpgroup = std::make_shared<WarpgroupQueue>();
  context_.warp->warpgroup->has_fenced = true;
  notify_step(context_.observer, {AsyncStep::Kind::fence, context_.block->linear,
                                  context_.warp->index, kAllLanes, context_.pc});
  for (WarpgroupQueue::Set& set : context_.warp->warpgroup->sets)
    set.delivered = nullptr;
}

// Before a product: there was a fence, and accumulators that the thread has changed since the last
// wait were fenced afterwards. Changes are detected by comparison with the delivered values.
void MatrixUnit::check_warpgroup_fence(const MatrixOp& op) const {
  const WarpgroupQueue& queue = *context_.warp->warpgroup;
  const char* const advice =
      "put wgmma.fence.sync.aligned (warpgroup_arrive in CUTLASS) between the last time the threads touch "
      "the "
      "registers and the first wgmma that uses them";
  if (!queue.has_fenced) {
    context_.fault(
        Fault::Kind::race, context_.culprit(0),
        "Race: \x01 executes wgmma without any wgmma.fence before it: the tensor cores may read the "
        "registers "
        "before the thread has written them",
        advice, {"warpgroup_fence", {}});
  }
  const uint32_t scale = *context_.row<uint32_t>(op.scale_d);
  if (op.at_once || !((op.scale_d_negated ? ~scale : scale) & 1u)) return;
  for (const WarpgroupQueue::Set& set : queue.sets) {
    if (set.delivered == nullptr || set.type == AccumulatorType::f16 ||
        set.frame != context_.frame || set.delivered->d_rows != op.d_rows)
      continue;
    const auto* const values = reinterpret_cast<const float*>(set.values.get());
    for (size_t word = 0; word < op.d_rows.size(); ++word) {
      const auto* const now = context_.row<uint32_t>(op.d_rows[word]);
      const auto* const then = reinterpret_cast<const uint32_t*>(values + word * kLanes);
      const auto* const changed = std::mismatch(now, now + kLanes, then).first;
      if (changed == now + kLanes) continue;
      context_.fault(
          Fault::Kind::race, context_.culprit(static_cast<int>(changed - now)),
          fmt::format(
              "Race: \x01 has changed register {} of the accumulators since wgmma.wait_group, and "
              "executes the next wgmma on them without wgmma.fence between the two",
              word),
          advice, {"accumulators_changed", {}});
    }
  }
}

// The registers of A must be unchanged since the product was issued.
void MatrixUnit::check_unchanged(const Warp& warp, const WarpgroupEntry& entry) const {
  const Frame* const frame = warp.splits[0].frame;
  if (!entry.op->a_in_registers || entry.frame != frame) return;
  for (size_t i = 0; i < 4; ++i) {
    if (std::memcmp(entry.a[i].data(), frame->registers.get() + entry.op->a_rows[i], 128) == 0)
      continue;
    context_.fault(
        Fault::Kind::race, Culprit{context_.block, warp.index, 0, entry.pc},
        "Registers in flight: \x01 changes the registers that hold A of this wgmma before it has waited "
        "for it",
        "wait with wgmma.wait_group before the registers get new values, or use others in turn",
        {"registers_in_flight", {}});
  }
}

// The warps of a warpgroup must execute the same wgmma with the same descriptors ("The contents of
// a matrix descriptor must be same across all the warps in the warpgroup", PTX ISA).
void MatrixUnit::check_same_product(std::span<const Warp> warps, uint64_t ordinal) const {
  const WarpgroupEntry& first = warps.front().warpgroup->entry(ordinal);
  const MatrixOp& op = *first.op;
  for (const Warp& warp : warps.subspan(1)) {
    const WarpgroupEntry& entry = warp.warpgroup->entry(ordinal);
    if (entry.op != first.op) {
      context_.fault(
          Fault::Kind::barrier, Culprit{context_.block, warp.index, 0, entry.pc},
          fmt::format(
              "Barrier: \x01 executes, as its wgmma number {}, another one than warp {} of its "
              "warpgroup, whose is at {}",
              ordinal, warps.front().index, place_text(context_.program.sources[first.pc])),
          "wgmma belongs to a whole warpgroup: let its four warps take the same path through the "
          "kernel",
          {"warpgroup_partial", {}});
    }
    const bool same_b = entry.b_descriptor == first.b_descriptor;
    if (same_b && (op.a_in_registers || entry.a_descriptor == first.a_descriptor)) continue;
    context_.fault(
        Fault::Kind::barrier, Culprit{context_.block, warp.index, 0, entry.pc},
        fmt::format(
            "Barrier: \x01 gives its wgmma the descriptor {:#018x} of {}, and warp {} of its "
            "warpgroup {:#018x}; they have to be the same",
            same_b ? entry.a_descriptor : entry.b_descriptor, same_b ? "A" : "B",
            warps.front().index, same_b ? first.a_descriptor : first.b_descriptor),
        "make a descriptor of the whole tile, 64 rows of A: each warp takes its own 16 of them by itself",
        {"warpgroup_descriptors", {}});
  }
}

// ": it waits at __syncthreads (a.cu:7)", for a warp that has not ended.
std::string MatrixUnit::position_text(const Warp& warp) const {
  if (warp.split_count == 0) return "";
  const uint32_t pc = warp.splits[0].pc;
  return fmt::format(": it {} {} ({})", warp.splits[0].wait == Wait::none ? "is" : "waits",
                     "at " + context_.barrier_name(pc), place_text(context_.program.sources[pc]));
}

// When the block has ended, or cannot continue: all four warps of a warpgroup must have executed
// the same number of products.
void MatrixUnit::compare_warpgroups(const Block& block) const {
  for (size_t first = 0; first < block.warps.size(); first += kGroupWarps) {
    const size_t end = std::min(first + kGroupWarps, block.warps.size());
    const auto issued = [&](size_t warp) {
      return block.warps[warp].warpgroup ? block.warps[warp].warpgroup->issued : 0;
    };
    size_t most = first, least = first;
    for (size_t warp = first; warp < end; ++warp) {
      if (issued(warp) > issued(most)) most = warp;
      if (issued(warp) < issued(least)) least = warp;
    }
    if (issued(most) == 0) continue;
    const Culprit who{&block, static_cast<uint32_t>(most), 0, block.warps[most].warpgroup->last_pc};
    const char* const advice =
        "wgmma belongs to a whole warpgroup, four warps whose first is a multiple of four: let "
        "all 128 threads reach it, and divide the work among warpgroups (threadIdx.x / 128), not "
        "warps";
    if (end - first < kGroupWarps) {
      context_.fault(
          Fault::Kind::barrier, who,
          fmt::format(
              "Barrier: \x01 executes wgmma, and its warpgroup has only {} of four warps: the block "
              "has {} threads",
              end - first, context_.launch.threads),
          advice, {"warpgroup_partial", {}});
    }
    if (issued(least) == issued(most)) continue;
    context_.fault(
        Fault::Kind::barrier, who,
        fmt::format(
            "Barrier: \x01 executes wgmma {} time{} in all, and warp {} of its warpgroup (threads {} to "
            "{}) {}",
            issued(most), issued(most) == 1 ? "" : "s", least, least * kLanes,
            least * kLanes + kLanes - 1,
            issued(least) == 0 ? std::string("never") : fmt::format("only {}", issued(least))) +
            position_text(block.warps[least]),
        advice, {"warpgroup_partial", {}});
  }
}

}  // namespace ridge::machine
