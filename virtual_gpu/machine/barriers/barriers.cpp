// bar and barrier: the lanes of the block arrive one by one or together, and continue when the last
// has arrived.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/barriers/block_barriers.h"

namespace ridge::machine {

namespace {

// True when all 32 lanes, including inactive ones, have `value`.
bool is_everywhere(const uint32_t* row, uint32_t value) {
  uint32_t off = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    off |= row[lane] ^ value;
  return off == 0;
}

}  // namespace

void BlockBarriers::block_barrier(Split& split, const BarrierOp& op) {
  const uint32_t* ids = context_.row<uint32_t>(op.id);
  const uint32_t* counts = op.count == kNoRow ? nullptr : context_.row<uint32_t>(op.count);
  const int leader = std::countr_zero(split.mask);
  const uint32_t id = ids[leader], count = counts == nullptr ? 0 : counts[leader];
  const bool is_one = is_everywhere(ids, id) && (counts == nullptr || is_everywhere(counts, count));
  uint32_t group = is_one ? split.mask : 0;
  for (uint32_t rest = split.mask & ~group; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (ids[lane] == id && (counts == nullptr || counts[lane] == count)) group |= 1u << lane;
  }
  if (id >= kBarriers) {
    context_.fault(Fault::Kind::barrier, context_.culprit(leader),
                   fmt::format("Barrier: \x01 uses barrier {}, and a block has {} (0 to {})", id,
                               kBarriers, kBarriers - 1),
                   "use a smaller barrier number", {"named_barrier_number", {}});
  }
  if (count % kLanes != 0) {
    context_.fault(
        Fault::Kind::barrier, context_.culprit(leader),
        fmt::format(
            "Barrier: \x01 comes to barrier {} with the thread count {}, which is not a multiple of {}: "
            "barriers count whole warps",
            id, count, kLanes),
        fmt::format("give the number of threads of all warps that take part, {} or {}",
                    count / kLanes * kLanes, (count / kLanes + 1) * kLanes),
        {"named_barrier_count", {}});
  }
  if (group != split.mask) {  // lanes that name another barrier arrive later, separately
    context_.add_split(split, split.pc, split.mask & ~group);
    split.mask = group;
  }
  arrive(split, op, id, count);
}

void BlockBarriers::arrive(Split& split, const BarrierOp& op, uint32_t id, uint32_t count) {
  Barrier& barrier = context_.block->barriers[id];
  const uint32_t w = context_.warp->index;
  if (context_.observer != nullptr) {
    context_.observer->barrier(context_.block->linear, w, context_.pc, split.mask);
    context_.observer->released(
        context_.block->linear, w, split.mask,
        {SyncPlace::Kind::block_barrier, context_.block->linear, id, barrier.phase});
  }
  // A barrier without a count is for the whole block.
  const auto threads_of = [&](uint32_t given) {
    return given == 0 ? context_.launch.warps * kLanes : given;
  };
  if (barrier.arrived_threads > 0 && threads_of(barrier.count) != threads_of(count)) {
    const auto count_text = [](uint32_t given) {
      return given == 0 ? std::string("no thread count")
                        : fmt::format("the thread count {}", given);
    };
    context_.fault(
        Fault::Kind::barrier, context_.culprit(std::countr_zero(split.mask)),
        fmt::format(
            "Barrier: \x01 comes to barrier {} with {}, and threads that have come before it, with {}",
            id, count_text(count), count_text(barrier.count)),
        "give all threads that meet at one barrier the same count, those that only arrive too, or use two "
        "barrier numbers",
        {"named_barrier_count", {}});
  }
  if (barrier.arrived[w] == 0)
    barrier.first_pc[w] = context_.pc;
  else if (op.aligned && count == 0 && barrier.first_pc[w] != context_.pc)
    report_two_barriers(split, barrier.first_pc[w]);
  barrier.arrived_threads += static_cast<uint32_t>(std::popcount(split.mask & ~barrier.arrived[w]));
  barrier.arrived[w] |= split.mask;
  barrier.expected = std::max(barrier.expected, count);
  barrier.count = count;
  if (op.source != kNoRow && op.result != kNoRow) {
    const uint32_t said = op.source_negated ? ~*context_.row<uint32_t>(op.source)
                                            : *context_.row<uint32_t>(op.source);
    barrier.result_and &= (said & split.mask) == split.mask;
    barrier.result_or |= (said & split.mask) != 0;
    barrier.result_count += static_cast<uint32_t>(std::popcount(said & split.mask));
  }
  if (op.kind == BarrierKind::arrive) {
    split.pc = context_.pc + 1;
  } else {
    split.wait = Wait::block_barrier;
    split.barrier = static_cast<uint8_t>(id);
  }
  try_complete(id);
}

// Without a count, all threads that have not exited must arrive. With a count, that many threads; a
// warp whose lanes have all arrived counts as 32, as the hardware counts warps.
bool BlockBarriers::is_complete(const Barrier& barrier) const {
  if (barrier.expected == 0) return barrier.arrived_threads == context_.block->live_threads;
  uint32_t arrived = 0;
  for (const Warp& warp : context_.block->warps) {
    const uint32_t here = barrier.arrived[warp.index];
    if (here != 0) arrived += 32 - static_cast<uint32_t>(std::popcount(warp.live & ~here));
  }
  return arrived >= barrier.expected;
}

void BlockBarriers::try_complete(uint32_t id) {
  const Barrier& barrier = context_.block->barriers[id];
  if (!is_complete(barrier)) return;
  if (barrier.expected == 0 && context_.block->exited_threads > 0 &&
      !context_.launch.config.exited_threads_pass_barriers)
    report_exited(id);
  if (barrier.expected == 0 && context_.observer != nullptr) release_exited(id);
  complete(id);
}

// Exited threads count as arrived: what they did happens before what follows the barrier.
void BlockBarriers::release_exited(uint32_t id) const {
  const Block& block = *context_.block;
  if (block.exited_threads == 0) return;
  for (const Warp& warp : block.warps) {
    if (warp.live != 0) continue;  // its other lanes will arrive
    uint32_t exited = 0;
    for (const ExitPlace& exit : warp.exits)
      exited |= exit.mask;
    context_.observer->released(
        block.linear, warp.index, exited,
        {SyncPlace::Kind::block_barrier, block.linear, id, block.barriers[id].phase});
  }
}

void BlockBarriers::complete(uint32_t id) {
  Barrier& barrier = context_.block->barriers[id];
  for (Warp& warp : context_.block->warps) {
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      Split& split = warp.splits[i];
      if (split.wait != Wait::block_barrier || split.barrier != id) continue;
      const BarrierOp& op = context_.program.barriers[context_.program.ops[split.pc].detail];
      if (op.result != kNoRow) {
        uint32_t* result = reinterpret_cast<uint32_t*>(split.frame->registers.get() + op.result);
        if (op.kind == BarrierKind::reduce_count) {
          for (uint32_t rest = split.mask; rest != 0; rest &= rest - 1)
            result[std::countr_zero(rest)] = barrier.result_count;
        } else {
          const bool value =
              op.kind == BarrierKind::reduce_and ? barrier.result_and != 0 : barrier.result_or != 0;
          *result = value ? *result | split.mask : *result & ~split.mask;
        }
      }
      split.wait = Wait::none;
      ++split.pc;
      if (context_.observer != nullptr)
        context_.observer->acquired(
            context_.block->linear, warp.index, split.mask,
            {SyncPlace::Kind::block_barrier, context_.block->linear, id, barrier.phase});
    }
  }
  const uint64_t next_phase = barrier.phase + 1;
  barrier = Barrier{};
  barrier.phase = next_phase;
  context_.made_progress = true;
}

void BlockBarriers::check_barriers_after_exit() {
  for (uint32_t id = 0; id < kBarriers; ++id) {
    if (context_.block->barriers[id].arrived_threads > 0) try_complete(id);
  }
}

}  // namespace ridge::machine
