// mbarrier: arrivals and bytes that threads and copies announce and complete, and phases that
// complete when none is pending. Lanes are processed one after the other.
#include "virtual_gpu/machine/barriers/mbarrier.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "virtual_gpu/machine/barriers/mbarriers.h"

namespace ridge::machine {
namespace {

constexpr const char* kCountAdvice =
    "compare the count given to init, which is the number of arrivals per phase, with the threads that "
    "arrive; look at the index of the mbarrier; and let no thread arrive twice before a wait shows that the "
    "phase is over";

SyncPlace sync_place(MbarrierPlace place, uint64_t phase) {
  return {SyncPlace::Kind::mbarrier, place.block->linear, place.offset, phase};
}

}  // namespace

MbarrierPhase& Mbarriers::mbarrier_phase(MbarrierPlace place) const {
  for (MbarrierPhase& known : place.block->mbarrier_phases) {
    if (known.offset == place.offset) return known;
  }
  return place.block->mbarrier_phases.emplace_back(MbarrierPhase{place.offset, 0, 0});
}

Mbarrier Mbarriers::read_mbarrier(MbarrierPlace place, const Culprit& who) const {
  uint64_t bits = 0;
  std::memcpy(&bits, place.block->shared.get() + place.offset, sizeof bits);
  if (Mbarrier::is_live(bits)) return Mbarrier::from_bits(bits);
  if (bits == Mbarrier::kInvalidated) {
    context_.fault(
        Fault::Kind::barrier, who,
        fmt::format("Mbarrier: \x01 uses {}, which mbarrier.inval has ended", mbarrier_text(place)),
        "invalidate an mbarrier only when no thread uses it any more, or initialise it again first",
        cause("mbarrier_invalidated", place));
  }
  context_.fault(
      Fault::Kind::barrier, who,
      fmt::format("Mbarrier: \x01 uses {}, which was never initialised: its 8 bytes hold {:#018x}",
                  mbarrier_text(place), bits),
      "let one thread initialise it (mbarrier.init, or init() of cuda::barrier) and put a __syncthreads, "
      "or a "
      "cluster sync when other blocks use it, between that and its first use; if it was, something has "
      "written over it",
      cause("mbarrier_uninitialised", place));
}

void Mbarriers::write_mbarrier(MbarrierPlace place, Mbarrier object) {
  const uint64_t bits = object.to_bits();
  std::memcpy(place.block->shared.get() + place.offset, &bits, sizeof bits);
  context_.made_progress = true;
}

void Mbarriers::notify_mbarrier(MbarrierPlace place, uint32_t mask, bool initialises) {
  if (context_.observer != nullptr)
    context_.observer->mbarrier(context_.block->linear, context_.warp->index, mask, context_.pc,
                                place.block->linear, place.offset, initialises);
}

void Mbarriers::mbarrier_init(const MbarrierOp& op, MbarrierPlace place, int lane) {
  notify_mbarrier(place, 1u << lane, true);
  const uint32_t count = context_.row<uint32_t>(op.count)[lane];
  if (count == 0 || count > Mbarrier::kMaxCount) {
    context_.fault(
        Fault::Kind::barrier, context_.culprit(lane),
        fmt::format(
            "Mbarrier: \x01 initialises an mbarrier with {} arrivals per phase, and it can have "
            "1 to {}",
            count, Mbarrier::kMaxCount),
        "give init the number of arrivals that one phase gets", {"mbarrier_count", {}});
  }
  MbarrierPhase& phase = mbarrier_phase(place);
  // Check that the object is still the one initialised here: other data may have replaced it.
  uint64_t bits = 0;
  std::memcpy(&bits, place.block->shared.get() + place.offset, sizeof bits);
  const Mbarrier old = Mbarrier::from_bits(bits);
  if (phase.initialised && Mbarrier::is_live(bits) && old.expected != 0 && old.pending <= old.expected &&
      old.parity == (phase.phase % 2 != 0)) {
    context_.fault(
        Fault::Kind::barrier, context_.culprit(lane),
        fmt::format("Mbarrier: \x01 initialises {}, which is initialised already", mbarrier_text(place)),
        "let one thread of the block initialise each mbarrier, once; mbarrier.inval comes before a second "
        "mbarrier.init");
  }
  phase.initialised = true;
  phase.first = phase.phase =
      (phase.phase + 3) &
      ~uint64_t{1};  // an even number, not adjacent to a phase that was released to
  phase.init_pc = context_.pc;
  phase.waited = phase.phase;
  phase.overrun = false;
  phase.announced = phase.late_bytes = 0;
  write_mbarrier(place, {count, count, 0, false});
}

// Arrives `count` times, and completes the phase when nothing else is pending.
void Mbarriers::arrive_on(MbarrierPlace place, Mbarrier object, uint32_t count,
                          const Culprit& who) {
  if (count > object.pending) {
    FaultCause because = cause("mbarrier_arrivals", place);
    because.values.emplace_back("expected", std::to_string(object.expected));
    because.values.emplace_back("phase", std::to_string(phase_number(place)));
    FaultCause ignored;
    context_.fault(
        Fault::Kind::barrier, who,
        fmt::format("Mbarrier: \x01 arrives {} at {}, and its phase {} has {}: init gave it {}{}",
                    count == 1 ? "once" : fmt::format("{} times", count), mbarrier_text(place),
                    phase_number(place),
                    object.pending == 0
                        ? fmt::format("all {} of its arrivals already", object.expected)
                        : fmt::format("room for {} more", object.pending),
                    object.expected, repeated_wait_text(*context_.block, ignored)),
        kCountAdvice, std::move(because));
  }
  object.pending -= count;
  if (object.pending == 0 && object.bytes == 0) {
    object.pending = object.expected;
    object.parity = !object.parity;
    MbarrierPhase& phase = mbarrier_phase(place);
    ++phase.phase;
    phase.announced_before = std::exchange(phase.announced, 0);
    phase.overrun |= phase.phase > phase.waited + 1;
  }
  write_mbarrier(place, object);
}

void Mbarriers::add_transactions(MbarrierPlace place, Mbarrier& object, int64_t bytes,
                                 const Culprit& who) const {
  const int64_t sum = object.bytes + bytes;
  if (sum > Mbarrier::kMaxCount || sum < -int64_t{Mbarrier::kMaxCount}) {
    context_.fault(
        Fault::Kind::barrier, who,
        fmt::format(
            "Mbarrier: \x01 makes {} wait for {} bytes, and a phase can count {} in either direction",
            mbarrier_text(place), sum, Mbarrier::kMaxCount),
        bytes > 0
            ? "expect only the bytes of the copies of one phase, and in bytes, not in elements"
            : "announce the bytes of every copy with expect_tx, once for each phase");
  }
  object.bytes = static_cast<int32_t>(sum);
  if (bytes > 0) mbarrier_phase(place).announced += bytes;
}

void Mbarriers::note_landing(MbarrierPlace place, uint64_t started, uint32_t bytes) {
  MbarrierPhase& phase = mbarrier_phase(place);
  if (phase.phase == started || phase.late_bytes != 0) return;
  phase.late_bytes = bytes;
  phase.announced_for_late = phase.announced_before;
}

// The bytes of an asynchronous copy are complete.
void Mbarriers::complete_transaction(MbarrierPlace place, uint32_t bytes, const Culprit& who) {
  Mbarrier object = read_mbarrier(place, who);
  add_transactions(place, object, -int64_t{bytes}, who);
  arrive_on(place, object, 0, who);
}

void Mbarriers::mbarrier_update(const MbarrierOp& op, MbarrierPlace place, int lane) {
  notify_mbarrier(place, 1u << lane);
  const Culprit who = context_.culprit(lane);
  Mbarrier object = read_mbarrier(place, who);
  const uint64_t before = object.to_bits();
  const uint32_t given = op.count == kNoRow ? 1 : context_.row<uint32_t>(op.count)[lane];
  const bool arrives =
      op.action == MbarrierAction::arrive || op.action == MbarrierAction::arrive_drop;
  if (op.action == MbarrierAction::complete_tx) {
    add_transactions(place, object, -int64_t{given}, who);
  } else if (op.action == MbarrierAction::expect_tx || op.expects) {
    add_transactions(place, object, given, who);
  }
  if (context_.observer != nullptr && arrives && op.ordering != Ordering::relaxed)
    context_.observer->released(context_.block->linear, context_.warp->index, 1u << lane,
                                sync_place(place, mbarrier_phase(place).phase));
  if (!arrives) {
    if (op.action == MbarrierAction::complete_tx)
      arrive_on(place, object, 0, who);
    else
      write_mbarrier(place, object);
    return;
  }
  const uint32_t count = op.expects ? 1 : given;
  if (count == 0 || count > Mbarrier::kMaxCount) {
    context_.fault(Fault::Kind::barrier, who,
                   fmt::format("Mbarrier: \x01 arrives {} times at {}, and 1 to {} are possible",
                               count, mbarrier_text(place), Mbarrier::kMaxCount),
                   "arrive with the number of arrivals that this thread stands for",
                   {"mbarrier_count", {}});
  }
  if (op.action == MbarrierAction::arrive_drop && count <= object.pending)
    object.expected -= std::min(object.expected, count);
  if (!op.may_complete && count == object.pending && object.bytes == 0) {
    context_.fault(
        Fault::Kind::barrier, who,
        fmt::format("Mbarrier: \x01 arrives with .noComplete at {} and would complete its phase {}",
                    mbarrier_text(place), phase_number(place)),
        "use .noComplete only where others still have to arrive", cause("mbarrier_no_complete", place));
  }
  arrive_on(place, object, count, who);
  if (op.result != kNoRow) context_.row<uint64_t>(op.result)[lane] = before;
}

// The lanes whose phase is complete. Lanes that test the same object for the same phase (nearly
// always all of them) are handled together.
uint32_t Mbarriers::mbarrier_test(const MbarrierOp& op, uint32_t mask) {
  Addresses addresses;
  spaces_.find_addresses(op.place, mask, addresses);
  const bool one_object = addresses.summary.shape == AccessShape::uniform;
  const auto parity_of = [&](int lane) {
    return op.parity != kNoRow ? (context_.row<uint32_t>(op.parity)[lane] & 1) != 0
                               : Mbarrier::from_bits(context_.row<uint64_t>(op.state)[lane]).parity;
  };
  uint32_t complete = 0;
  for (uint32_t remaining = mask; remaining != 0;) {
    const int leader = std::countr_zero(remaining);
    const bool parity = parity_of(leader);
    uint32_t lanes = 0;
    for (uint32_t rest = remaining; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (parity_of(lane) == parity && (one_object || addresses.of(lane) == addresses.of(leader)))
        lanes |= 1u << lane;
    }
    remaining &= ~lanes;
    const MbarrierPlace place = mbarrier_place(op.place, addresses, leader, AccessKind::load);
    notify_mbarrier(place, lanes);
    Mbarrier object = read_mbarrier(place, context_.culprit(leader));
    if (object.parity == parity) {
      deliver(place);
      object = read_mbarrier(place, context_.culprit(leader));
    }
    if (object.parity == parity) {
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        context_.warp->mbarrier_waits[static_cast<size_t>(std::countr_zero(rest))] = {
            context_.pc, place.block->rank, place.offset, parity};
      continue;
    }
    complete |= lanes;
    note_passed(place, object, lanes, parity);
    if (context_.observer != nullptr && op.ordering != Ordering::relaxed)
      context_.observer->acquired(context_.block->linear, context_.warp->index, lanes,
                                  sync_place(place, mbarrier_phase(place).phase - 1));
  }
  context_.warp->mbarrier_waiting = (context_.warp->mbarrier_waiting | mask) & ~complete;
  uint32_t& result = *context_.row<uint32_t>(op.result);
  result = (result & ~mask) | complete;
  return complete;
}

// Fast path: several lanes arrive at one object, and only the last of them may complete the phase.
bool Mbarriers::arrive_together(const MbarrierOp& op, const Addresses& addresses, uint32_t mask) {
  if (op.action != MbarrierAction::arrive || op.expects || !op.may_complete || op.count != kNoRow ||
      addresses.summary.shape != AccessShape::uniform)
    return false;
  const int first = std::countr_zero(mask);
  const MbarrierPlace place = mbarrier_place(op.place, addresses, first, AccessKind::atomic);
  Mbarrier object = read_mbarrier(place, context_.culprit(first));
  const auto arrivals = static_cast<uint32_t>(std::popcount(mask));
  if (arrivals > object.pending) return false;
  notify_mbarrier(place, mask);
  if (context_.observer != nullptr && op.ordering != Ordering::relaxed)
    context_.observer->released(context_.block->linear, context_.warp->index, mask,
                                sync_place(place, mbarrier_phase(place).phase));
  if (op.result != kNoRow) {
    Mbarrier before = object;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1, --before.pending)
      context_.row<uint64_t>(op.result)[std::countr_zero(rest)] = before.to_bits();
  }
  arrive_on(place, object, arrivals, context_.culprit(first));
  return true;
}

void Mbarriers::pending_count(const MbarrierOp& op, uint32_t mask) const {
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    context_.row<uint32_t>(op.result)[lane] =
        Mbarrier::from_bits(context_.row<uint64_t>(op.state)[lane]).pending;
  }
}

void Mbarriers::mbarrier_async_arrive(const MbarrierOp& op, MbarrierPlace place, int lane) {
  const Culprit who = context_.culprit(lane);
  Mbarrier object = read_mbarrier(place, who);
  if (op.counts_itself) {
    if (object.pending == Mbarrier::kMaxCount) {
      context_.fault(Fault::Kind::barrier, who,
                     fmt::format("Mbarrier: \x01 makes {} wait for more than {} arrivals",
                                 mbarrier_text(place), Mbarrier::kMaxCount),
                     "wait for a phase before more copies are announced");
    }
    ++object.pending;
    write_mbarrier(place, object);
  }
  context_.warp->arrivals.push_back(
      {static_cast<uint32_t>(lane), place.offset, context_.pc, context_.warp->next_copy});
  context_.block->has_async_arrivals = true;
}

// Completes the copies in flight to this object's block that signal this object.
void Mbarriers::deliver(MbarrierPlace place) {
  deliveries_.land(*place.block, place.offset);
}

void Mbarriers::mbarrier(const MicroOp& op, uint32_t mask) {
  const MbarrierOp& detail = context_.program.mbarriers[op.detail];
  switch (detail.action) {
    case MbarrierAction::pending_count:
      pending_count(detail, mask);
      return;
    case MbarrierAction::test_wait:
      if (mbarrier_test(detail, mask) != mask) {
        context_.polled = true;
        context_.split_budget = std::min<int64_t>(context_.split_budget, 1);
      }
      return;
    default:
      break;
  }
  Addresses addresses;
  spaces_.find_addresses(detail.place, mask, addresses);
  if (arrive_together(detail, addresses, mask)) return;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const MbarrierPlace place = mbarrier_place(detail.place, addresses, lane, AccessKind::atomic);
    switch (detail.action) {
      case MbarrierAction::init:
        mbarrier_init(detail, place, lane);
        break;
      case MbarrierAction::invalidate: {
        deliver(place);
        read_mbarrier(place, context_.culprit(lane));
        const uint64_t bits = Mbarrier::kInvalidated;
        std::memcpy(place.block->shared.get() + place.offset, &bits, sizeof bits);
        break;
      }
      case MbarrierAction::async_arrive:
        mbarrier_async_arrive(detail, place, lane);
        break;
      default:
        mbarrier_update(detail, place, lane);
    }
  }
}

// Where the hardware would suspend the thread for some time, the split lets the other splits of its
// warp and then the other warps run first; afterwards it reports that the phase is not complete.
Next Mbarriers::mbarrier_try_wait(Split& split, const MicroOp& op) {
  const uint32_t complete = mbarrier_test(context_.program.mbarriers[op.detail], split.mask);
  split.pc = context_.pc + 1;
  if (complete == split.mask) return Next::proceed;
  context_.polled_in_slice = true;
  context_.rotate(split);
  return Next::reschedule;
}

}  // namespace ridge::machine
