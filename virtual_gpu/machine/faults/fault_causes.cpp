// Refines the cause of an observer's finding with the machine's state: waits that waited for
// nothing, and uncommitted groups of copies.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/faults/fault_text.h"

namespace ridge::machine {
namespace {

uint64_t number_in(const FaultCause& cause, std::string_view wanted) {
  uint64_t number = ~uint64_t{0};
  for (const auto& [name, text] : cause.values)
    if (name == wanted) std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The cp.async in flight to an address of the block's shared memory, and its lane.
struct CopyInFlight {
  const Warp* warp = nullptr;
  const PendingCopy* copy = nullptr;
  size_t lane = 0;
};
CopyInFlight copy_to(const Block& block, uint64_t offset) {
  for (const Warp& warp : block.warps)
    for (const PendingCopy& copy : warp.copies)
      for (uint32_t rest = copy.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        if (copy.destination(lane) <= offset && offset < copy.destination(lane) + copy.bytes)
          return {&warp, &copy, lane};
      }
  return {};
}

// Why a group of cp.async was not waited for: it was not committed, or the wait does not include
// it.
ObservedFault with_group(const Program& program, const Block& block, ObservedFault seen) {
  const CopyInFlight found = copy_to(block, number_in(seen.cause, "offset"));
  if (found.copy == nullptr) return seen;
  const Warp& reader = block.warps[seen.warp];
  const uint32_t group = found.copy->group, committed = reader.committed_groups[seen.lane];
  const auto because = [&](const char* id, const std::string& what, const std::string& advice) {
    FaultCause cause = seen.cause;
    cause.id = id;
    return ObservedFault(seen.kind, seen.instruction, seen.warp, seen.lane, seen.what() + what, advice,
                         std::move(cause));
  };
  // A reader that is one iteration behind the copy does not wait for it: the copy is too early.
  const bool has_started = std::any_of(reader.copies.begin(), reader.copies.end(),
                                       [&](const PendingCopy& copy) { return copy.group == group; });
  if (committed < group || (committed == group && !has_started))
    return because("copy_too_early",
                   ". The copy is one of a later group than those that the reader has started: it fills the buffer anew",
                   "put a __syncthreads() between the last read of the buffer and the copy that fills it anew");
  if (committed == group)
    return because("group_not_committed",
                   ". The copy belongs to no group yet: its thread has not committed it",
                   "commit the copies (cp.async.commit_group, __pipeline_commit()) before the wait for their "
                   "group");
  const Warp& warp = reader;
  if (warp.last_group_wait == kNoGroupWait || warp.last_group_wait == 0) return seen;
  ObservedFault fault = because(
      "wait_lets_group_through",
      fmt::format(". The newest wait, at {}, lets the newest {} group{} of copies through, and this is one",
                  place_text(program.sources[warp.last_group_wait_pc]), warp.last_group_wait,
                  warp.last_group_wait == 1 ? "" : "s"),
      fmt::format("wait for one group more: cp.async.wait_group {0}, __pipeline_wait_prior({0})",
                  warp.last_group_wait - 1));
  fault.cause.values.emplace_back("newest", std::to_string(warp.last_group_wait));
  fault.cause.values.emplace_back("wait", place_text(program.sources[warp.last_group_wait_pc]));
  return fault;
}

// A wgmma reads data that a copy fills for the first time: none, or not all, of the warps that
// execute it have waited for an mbarrier.
std::optional<ObservedFault> with_waits(const Block& block, const ObservedFault& seen) {
  const uint64_t first = number_in(seen.cause, "warpgroup") * 4;
  if (number_in(seen.cause, "was_filled") != 0 || first >= block.warps.size()) return std::nullopt;
  size_t waited = 0, others = 0;
  for (size_t w = first; w < std::min<size_t>(first + 4, block.warps.size()); ++w) {
    const Warp& warp = block.warps[w];
    (warp.waits_passed > 0 || warp.mbarrier_waiting != 0 ? waited : others) += 1;
  }
  if (others == 0) return std::nullopt;
  FaultCause cause = seen.cause;
  cause.id = waited == 0 ? "waited_by_none" : "waited_by_some";
  return ObservedFault(
      seen.kind, seen.instruction, seen.warp, seen.lane,
      seen.what() + fmt::format(". {} of the {} warps that execute the wgmma {} not waited for any mbarrier",
                                others, waited + others, others == 1 ? "has" : "have"),
      "let every thread of the warpgroup wait for the mbarrier of the copy before the wgmma that reads it: the "
      "wait of one thread holds back no other warp",
      std::move(cause));
}

}  // namespace

std::string Core::earlier_mistake(const Block& block, FaultCause& cause) const {
  FaultCause wait{"wait_passed_at_once", {}};
  if (std::string text = mbarriers_.repeated_wait_text(block, wait); !text.empty()) {
    cause = std::move(wait);
    return text;
  }
  if (std::string text = mbarriers_.overrun_text(block, cause); !text.empty()) return text;
  return mbarriers_.late_bytes_text(block, cause);
}

std::string Core::mistake_before_deadlock(const Block& block, FaultCause& cause) const {
  std::string text = earlier_mistake(block, cause);
  return text.empty() && waits_for_mbarrier(block) ? mbarriers_.first_phases_text(block, cause) : text;
}

Fault Core::observed_fault(const Block& block, const ObservedFault& seen) const {
  if (!seen.concerns_buffer) return late_fault(context_.launch, block.linear, seen);
  if (seen.cause.id == "group_not_waited")
    return late_fault(context_.launch, block.linear, with_group(context_.program, block, seen));
  if (seen.cause.id == "product_not_waited" || seen.cause.id == "product_not_released")
    if (const auto waits = with_waits(block, seen)) return late_fault(context_.launch, block.linear, *waits);
  FaultCause cause = seen.cause;
  const std::string before = earlier_mistake(block, cause);
  if (before.empty()) return late_fault(context_.launch, block.linear, seen);
  for (const auto& value : seen.cause.values)  // the place is the same
    if (value.first.starts_with("shared_")) cause.values.push_back(value);
  const char* const advice =
      cause.id == "wait_passed_at_once"
          ? "wait for the phases of an mbarrier in turn, parity 0 the first time, then 1, then 0: flip the parity "
            "each time the stages start again from the first"
      : cause.id == "mbarrier_overrun"
          ? "compare the count given to init with the threads that arrive in one phase"
          : "announce the bytes of all copies of a phase (expect_tx): a phase is over as soon as the announced "
            "bytes have landed";
  return late_fault(
      context_.launch, block.linear,
      {seen.kind, seen.instruction, seen.warp, seen.lane, seen.what() + before, advice, std::move(cause)});
}

}  // namespace ridge::machine
