// Messages about blocked warps: where threads wait, and which threads never arrive.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/faults/other_launches.h"
#include "virtual_gpu/machine/faults/fault_text.h"

namespace ridge::machine {
namespace {

uint32_t linear_thread(uint32_t warp, uint32_t mask) {
  return warp * kLanes + static_cast<uint32_t>(std::countr_zero(mask));
}

// Lanes whose mbarrier wait failed are a few instructions farther, in the loop around it.
uint32_t waits_at(const Warp& warp, const Split& split) {
  const uint32_t waiting = split.mask & warp.mbarrier_waiting;
  if (split.wait != Wait::none || waiting == 0) return split.pc;
  return warp.mbarrier_waits[static_cast<size_t>(std::countr_zero(waiting))].instruction;
}

constexpr const char* kSameBarrier =
    "let all threads of the block reach the same __syncthreads: move it out of the if or the loop, or make "
    "the condition the "
    "same for the whole block";

}  // namespace

std::optional<Fault> Core::likely_cause() const {
  if (context_.observer == nullptr || context_.block == nullptr) return std::nullopt;
  const auto seen = context_.observer->likely_cause(context_.block->linear);
  return seen ? std::optional(observed_fault(*context_.block, *seen)) : std::nullopt;
}

Fault late_fault(const Launch& launch, uint64_t block, const ObservedFault& seen) {
  const auto dim = [](const std::array<uint32_t, 3>& size) { return Dim3{size[0], size[1], size[2]}; };
  const auto* const other = dynamic_cast<const FaultOfOtherLaunch*>(&seen);
  const Dim3 grid = other != nullptr ? dim(other->grid) : launch.config.grid;
  if (other != nullptr) block = other->linear;
  const Dim3 index{static_cast<uint32_t>(block % grid.x),
                   static_cast<uint32_t>(block / grid.x % grid.y),
                   static_cast<uint32_t>(block / grid.x / grid.y)};
  const Dim3 thread = thread_index(other != nullptr ? dim(other->block) : launch.config.block,
                                   seen.warp * kLanes + seen.lane);
  const Program& program = other != nullptr ? *other->program : launch.program;
  const InstructionSource& source = program.sources[seen.instruction];
  const auto kind =
      seen.kind == ObservedFault::Kind::race ? Fault::Kind::race : Fault::Kind::uninitialised;
  return {kind,
          full_message(program, seen.instruction, index, thread, seen.what(), seen.advice),
          std::string(source.file),
          source.line,
          source.ptx_line,
          index,
          thread,
          source.called_from,
          seen.advice,
          seen.cause};
}

void BlockBarriers::report_two_barriers(const Split& split, uint32_t other_pc) const {
  context_.fault(
      Fault::Kind::barrier, context_.culprit(std::countr_zero(split.mask)),
      fmt::format(
          "Barrier: lanes of one warp wait at two different barriers. \x01 is at {} ({}), other "
          "lanes of its warp are at {} ({})",
          context_.barrier_name(context_.pc), place_text(context_.program.sources[context_.pc]),
          context_.barrier_name(other_pc), place_text(context_.program.sources[other_pc])),
      kSameBarrier, {"two_barriers", {}});
}

FaultCause BlockBarriers::missing_threads(const char* id, uint32_t barrier_pc, uint32_t missing) const {
  const InstructionSource& source = context_.program.sources[barrier_pc];
  return {id,
          {{"barrier_file", std::string(source.own_file)},
           {"barrier_line", std::to_string(source.own_line)},
           {"missing", std::to_string(missing)},
           {"threads", std::to_string(context_.launch.threads)}}};
}

// All remaining threads have arrived, but some exited before.
void BlockBarriers::report_exited(uint32_t id) const {
  for (const Warp& warp : context_.block->warps) {
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      const Split& split = warp.splits[i];
      if (split.wait != Wait::block_barrier || split.barrier != id) continue;
      for (const Warp& other : context_.block->warps) {
        if (other.exits.empty()) continue;
        const ExitPlace& exit = other.exits.front();
        const Dim3 gone =
            thread_index(context_.launch.config.block, linear_thread(other.index, exit.mask));
        context_.fault(
            Fault::Kind::barrier,
            {context_.block, warp.index, static_cast<uint32_t>(std::countr_zero(split.mask)),
             split.pc},
            fmt::format(
                "Barrier: \x01 waits at {} ({}), which {} of the block's {} threads never reach: "
                "thread {} has ended without it, at {}",
                context_.barrier_name(split.pc), place_text(context_.program.sources[split.pc]),
                context_.block->exited_threads, context_.launch.threads, dim_text(gone),
                place_text(context_.program.sources[exit.pc])),
            "let every thread of the block reach the barrier: take it out of the if or the loop, and let "
            "threads without work skip the work instead of returning before it",
            missing_threads("barrier_missed", split.pc, context_.block->exited_threads));
      }
    }
  }
  // No thread waits: all threads that arrived did so without waiting.
  for (const Warp& warp : context_.block->warps) {
    if (warp.exits.empty()) continue;
    const ExitPlace& exit = warp.exits.front();
    context_.fault(
        Fault::Kind::barrier,
        {context_.block, warp.index, static_cast<uint32_t>(std::countr_zero(exit.mask)), exit.pc},
        fmt::format(
            "Barrier: \x01 has ended without coming to barrier {}, at which the other threads "
            "of its block have arrived",
            id),
        "let every thread come to the barrier: let threads without work skip the work, not the barrier",
        {"barrier_missed", {}});
  }
  context_.fault(Fault::Kind::barrier, context_.culprit(0),
                 "Barrier: \x01 waits for threads that have ended",
                 "let every thread come to the barrier before it returns", {"barrier_missed", {}});
}

// No thread of the block can continue, and no other block can unblock one.
void Core::report_stuck() const {
  // A warp that waits for its warpgroup waits for a wgmma that another warp does not issue.
  matrix_.compare_warpgroups(*context_.block);
  const Split* first = nullptr;
  const Warp* first_warp = nullptr;
  std::string others;
  int listed = 0;
  for (const Warp& warp : context_.block->warps) {
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      const Split& split = warp.splits[i];
      if (first == nullptr) {
        first = &split, first_warp = &warp;
        continue;
      }
      if (split.pc == first->pc || listed == 3) continue;
      ++listed;
      others += fmt::format("{}thread {} waits at {} ({})", others.empty() ? "" : "; ",
                            dim_text(thread_index(context_.launch.config.block,
                                                  linear_thread(warp.index, split.mask))),
                            context_.barrier_name(split.pc),
                            place_text(context_.program.sources[split.pc]));
    }
    if (!warp.exits.empty() && listed < 3) {
      ++listed;
      const ExitPlace& exit = warp.exits.front();
      others += fmt::format("{}thread {} has already ended ({})", others.empty() ? "" : "; ",
                            dim_text(thread_index(context_.launch.config.block,
                                                  linear_thread(warp.index, exit.mask))),
                            place_text(context_.program.sources[exit.pc]));
    }
  }
  std::string missing;
  if (first->wait == Wait::block_barrier) {
    const Barrier& barrier = context_.block->barriers[first->barrier];
    missing = barrier.expected != 0
                  ? fmt::format(", which waits for {} threads; {} have come", barrier.expected,
                                barrier.arrived_threads)
                  : fmt::format(", which {} of the block's {} threads have reached",
                                barrier.arrived_threads, context_.launch.threads);
  } else if (first->wait == Wait::cluster_barrier) {
    missing = fmt::format(", which {} of the cluster's {} threads have reached",
                          context_.block->cluster->arrived_threads,
                          context_.launch.threads * context_.launch.cluster_blocks);
  } else {
    const int lane = std::countr_zero(first->mask);
    const uint32_t named = members_of(*first, lane), absent = named & ~first->mask;
    missing =
        context_.program.ops[first->pc].kind == OpKind::matrix
            ? fmt::format(", which {} of the warp's 32 lanes never reach", std::popcount(absent))
            : fmt::format(" with the mask {:#010x}, and {} of the lanes it names never come", named,
                          std::popcount(absent));
  }
  FaultCause cause{first->wait == Wait::cluster_barrier                               ? "cluster_barrier_missed"
                   : context_.program.ops[first->pc].kind == OpKind::matrix ? "matrix_lanes_missed"
                                                                            : "warp_lanes_missed",
                   {}};
  if (first->wait == Wait::block_barrier) {
    const Barrier& barrier = context_.block->barriers[first->barrier];
    cause = barrier.expected != 0
                ? FaultCause{"named_barrier_missed", {}}
                : barriers_.missing_threads("barrier_missed", first->pc,
                                            context_.launch.threads - barrier.arrived_threads);
  }
  context_.fault(
      Fault::Kind::barrier,
      {context_.block, first_warp->index, static_cast<uint32_t>(std::countr_zero(first->mask)),
       first->pc},
      fmt::format("Barrier: \x01 waits forever at {} ({}){}{}{}", context_.barrier_name(first->pc),
                  place_text(context_.program.sources[first->pc]), missing,
                  others.empty() ? "" : ". ", others),
      first->wait == Wait::block_barrier ? kSameBarrier
      : first->wait == Wait::cluster_barrier
          ? "let all threads of all blocks of the cluster reach the same cluster barrier (cluster.sync)"
      : context_.program.ops[first->pc].kind == OpKind::matrix
          ? "it is .aligned: all lanes of the warp have to execute the same one, so move it out of the if, "
            "or make "
            "the condition the same for the whole warp, and let no lane return before it"
          : "name in the mask only the lanes that execute this line, e.g. take it from __ballot_sync or "
            "__activemask before the branch",
      std::move(cause));
}

bool Core::waits_for_mbarrier(const Block& block) const {
  return std::any_of(block.warps.begin(), block.warps.end(), [](const Warp& warp) {
    return warp.split_count > 0 && (warp.live & warp.mbarrier_waiting) != 0;
  });
}

Culprit Core::first_waiting(const Block& block) const {
  for (const Warp& warp : block.warps) {
    if (warp.split_count == 0) continue;
    const Split& split = warp.splits[0];
    return {&block, warp.index, static_cast<uint32_t>(std::countr_zero(split.mask)),
            waits_at(warp, split)};
  }
  return {&block, 0, 0, 0};
}

// Warps of a block that wait for the same thing in one place share a line.
void Core::describe_waiting(const Block& block, std::string& text, int& lines_left) const {
  struct Line {
    std::string thread, how;
    uint32_t last_warp;
    int more_warps = 0;
  };
  std::vector<Line> lines;
  for (const Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      const Split& split = warp.splits[i];
      const uint32_t pc = waits_at(warp, split);
      const bool waits = split.wait != Wait::none || (split.mask & warp.mbarrier_waiting) != 0;
      std::string how =
          fmt::format("{} {} (`{}`){}", waits ? "waits at" : "goes round at",
                      place_text(context_.program.sources[pc]), context_.program.sources[pc].text,
                      mbarriers_.waited_text(block, warp, split));
      if (const auto* describer = dynamic_cast<const WaitDescriber*>(context_.observer); describer != nullptr && !waits)
        how += describer->describe_wait(block.linear, warp.index);
      const auto same = std::find_if(lines.begin(), lines.end(),
                                     [&](const Line& line) { return line.how == how; });
      if (same == lines.end()) {
        lines.push_back({dim_text(thread_index(context_.launch.config.block,
                                               linear_thread(warp.index, split.mask))),
                         std::move(how), warp.index});
      } else if (same->last_warp != warp.index) {
        same->last_warp = warp.index;
        ++same->more_warps;
      }
    }
  }
  for (const Line& line : lines) {
    if (lines_left-- <= 0) break;
    text += fmt::format(
        "\n    thread {} of block {}{} {}", line.thread, dim_text(block.index),
        line.more_warps == 0 ? "" : fmt::format(", and {} more of its warps,", line.more_warps),
        line.how);
  }
}

}  // namespace ridge::machine
