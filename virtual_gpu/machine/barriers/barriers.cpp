// bar and barrier: lanes of the block arrive one by one or together, and all go on when the last has come.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

namespace {

// Whether all 32 lanes hold `value`, those that are idle, too.
bool is_everywhere(const uint32_t* row, uint32_t value) {
  uint32_t off = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    off |= row[lane] ^ value;
  return off == 0;
}

}  // namespace

void Core::block_barrier(Split& split, const BarrierOp& op) {
  const uint32_t* ids = row<uint32_t>(op.id);
  const uint32_t* counts = op.count == kNoRow ? nullptr : row<uint32_t>(op.count);
  const int leader = std::countr_zero(split.mask);
  const uint32_t id = ids[leader], count = counts == nullptr ? 0 : counts[leader];
  const bool is_one = is_everywhere(ids, id) && (counts == nullptr || is_everywhere(counts, count));
  uint32_t group = is_one ? split.mask : 0;
  for (uint32_t rest = split.mask & ~group; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (ids[lane] == id && (counts == nullptr || counts[lane] == count)) group |= 1u << lane;
  }
  if (id >= kBarriers) {
    fault(Fault::Kind::barrier, culprit(leader),
          fmt::format("Barrier: \x01 uses barrier {}, and a block has {} (0 to {})", id, kBarriers,
                      kBarriers - 1),
          "use a smaller barrier number");
  }
  if (count % kLanes != 0) {
    fault(Fault::Kind::barrier, culprit(leader),
          fmt::format(
              "Barrier: \x01 comes to barrier {} with the thread count {}, which is not a multiple of {}: "
              "barriers count whole warps",
              id, count, kLanes),
          fmt::format("give the number of threads of all warps that take part, {} or {}",
                      count / kLanes * kLanes, (count / kLanes + 1) * kLanes));
  }
  if (group != split.mask) {  // lanes that name another barrier come again, on their own
    add_split(split, split.pc, split.mask & ~group);
    split.mask = group;
  }
  arrive(split, op, id, count);
}

void Core::arrive(Split& split, const BarrierOp& op, uint32_t id, uint32_t count) {
  Barrier& barrier = block_->barriers[id];
  const uint32_t w = warp_->index;
  if (observer_ != nullptr) {
    observer_->barrier(block_->linear, w, pc_, split.mask);
    observer_->released(block_->linear, w, split.mask,
                        {SyncPlace::Kind::block_barrier, block_->linear, id, barrier.phase});
  }
  // A barrier without a count is for the whole block.
  const auto threads_of = [&](uint32_t given) { return given == 0 ? launch_.warps * kLanes : given; };
  if (barrier.arrived_threads > 0 && threads_of(barrier.count) != threads_of(count)) {
    const auto count_text = [](uint32_t given) {
      return given == 0 ? std::string("no thread count") : fmt::format("the thread count {}", given);
    };
    fault(Fault::Kind::barrier, culprit(std::countr_zero(split.mask)),
          fmt::format(
              "Barrier: \x01 comes to barrier {} with {}, and threads that have come before it, with {}", id,
              count_text(count), count_text(barrier.count)),
          "give all threads that meet at one barrier the same count, those that only arrive too, or use two "
          "barrier numbers");
  }
  if (barrier.arrived[w] == 0)
    barrier.first_pc[w] = pc_;
  else if (op.aligned && count == 0 && barrier.first_pc[w] != pc_)
    report_two_barriers(split, barrier.first_pc[w]);
  barrier.arrived_threads += static_cast<uint32_t>(std::popcount(split.mask & ~barrier.arrived[w]));
  barrier.arrived[w] |= split.mask;
  barrier.expected = std::max(barrier.expected, count);
  barrier.count = count;
  if (op.source != kNoRow && op.result != kNoRow) {
    const uint32_t said = op.source_negated ? ~*row<uint32_t>(op.source) : *row<uint32_t>(op.source);
    barrier.result_and &= (said & split.mask) == split.mask;
    barrier.result_or |= (said & split.mask) != 0;
    barrier.result_count += static_cast<uint32_t>(std::popcount(said & split.mask));
  }
  if (op.kind == BarrierKind::arrive) {
    split.pc = pc_ + 1;
  } else {
    split.wait = Wait::block_barrier;
    split.barrier = static_cast<uint8_t>(id);
  }
  try_complete(id);
}

// Without a count: all threads that have not exited. With one: so many threads, and a warp whose lanes have
// all come counts for 32, as the hardware counts warps.
bool Core::is_complete(const Barrier& barrier) const {
  if (barrier.expected == 0) return barrier.arrived_threads == block_->live_threads;
  uint32_t arrived = 0;
  for (const Warp& warp : block_->warps) {
    const uint32_t here = barrier.arrived[warp.index];
    if (here != 0) arrived += 32 - static_cast<uint32_t>(std::popcount(warp.live & ~here));
  }
  return arrived >= barrier.expected;
}

void Core::try_complete(uint32_t id) {
  const Barrier& barrier = block_->barriers[id];
  if (!is_complete(barrier)) return;
  if (barrier.expected == 0 && block_->exited_threads > 0 && !launch_.config.exited_threads_pass_barriers)
    report_exited(id);
  complete(id);
}

void Core::complete(uint32_t id) {
  Barrier& barrier = block_->barriers[id];
  for (Warp& warp : block_->warps) {
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      Split& split = warp.splits[i];
      if (split.wait != Wait::block_barrier || split.barrier != id) continue;
      const BarrierOp& op = program_.barriers[program_.ops[split.pc].detail];
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
      if (observer_ != nullptr)
        observer_->acquired(block_->linear, warp.index, split.mask,
                            {SyncPlace::Kind::block_barrier, block_->linear, id, barrier.phase});
    }
  }
  const uint64_t next_phase = barrier.phase + 1;
  barrier = Barrier{};
  barrier.phase = next_phase;
  made_progress_ = true;
}

void Core::check_barriers_after_exit() {
  for (uint32_t id = 0; id < kBarriers; ++id) {
    if (block_->barriers[id].arrived_threads > 0) try_complete(id);
  }
}

}  // namespace ridge::machine
