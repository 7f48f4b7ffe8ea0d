#include "virtual_gpu/runtime/report/launch_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ridge::runtime {
namespace {

using trace::LaunchReport;

// The counts of a launch; fields that describe the kernel and its shape are equal in all launches.
constexpr uint64_t LaunchReport::*kCounts[] = {
    &LaunchReport::warp_instructions,
    &LaunchReport::thread_instructions,
    &LaunchReport::busiest_block_instructions,
    &LaunchReport::barriers,
    &LaunchReport::early_load_bytes,
    &LaunchReport::divergent_branches,
    &LaunchReport::shared_requests,
    &LaunchReport::shared_wavefronts,
    &LaunchReport::shared_conflicts,
    &LaunchReport::sass_instructions,
    &LaunchReport::sass_shared_wavefronts,
    &LaunchReport::sass_shared_conflicts,
    &LaunchReport::load_round_trips,
    &LaunchReport::spill_loads,
    &LaunchReport::spill_stores,
    &LaunchReport::copy_groups,
    &LaunchReport::instructions_behind_copies,
    &LaunchReport::wgmma_drains,
    &LaunchReport::wgmma_groups,
    &LaunchReport::instructions_behind_wgmma,
    &LaunchReport::l1_load_sectors,
    &LaunchReport::l1_load_hits,
    &LaunchReport::l2_read_sectors,
    &LaunchReport::l2_write_sectors,
    &LaunchReport::l2_atomic_sectors,
    &LaunchReport::l2_read_hits,
    &LaunchReport::dram_read_bytes,
    &LaunchReport::dram_write_bytes,
    &LaunchReport::ideal_bytes,
    &LaunchReport::peer_ideal_bytes,
};

using Instruction = trace::InstructionCounts;
constexpr uint64_t Instruction::*kInstructionCounts[] = {
    &Instruction::executions,      &Instruction::lanes,
    &Instruction::requests,        &Instruction::sectors,
    &Instruction::ideal_sectors,   &Instruction::tags,
    &Instruction::wavefronts,      &Instruction::ideal_wavefronts,
    &Instruction::bytes,           &Instruction::l1_hits,
    &Instruction::l2_sectors,      &Instruction::l2_hits,
    &Instruction::dram_bytes,      &Instruction::sass_executions,
    &Instruction::sass_wavefronts, &Instruction::sass_ideal_wavefronts,
    &Instruction::sass_loop_load_wavefronts,
};

template <class Item, class IsSame, class Add>
void merge(std::vector<Item>& into, std::vector<Item>& from, IsSame is_same, Add add) {
  for (Item& item : from) {
    const auto known = std::find_if(into.begin(), into.end(), [&](const Item& one) { return is_same(one, item); });
    if (known == into.end())
      into.push_back(std::move(item));
    else
      add(*known, item);
  }
}

void add_to(LaunchReport& total, LaunchReport& launch) {
  for (const auto count : kCounts)
    total.*count += launch.*count;
  total.host_seconds += launch.host_seconds;
  total.number = launch.number;
  total.sass_code_bytes = std::max(total.sass_code_bytes, launch.sass_code_bytes);
  merge(
      total.instructions, launch.instructions,
      [](const Instruction& a, const Instruction& b) {
        return a.ptx_line == b.ptx_line && a.space == b.space && a.kind == b.kind;
      },
      [](Instruction& into, const Instruction& from) {
        for (const auto count : kInstructionCounts)
          into.*count += from.*count;
      });
  merge(
      total.branches, launch.branches, [](const auto& a, const auto& b) { return a.ptx_line == b.ptx_line; },
      [](auto& into, const auto& from) {
        into.executions += from.executions;
        into.divergences += from.divergences;
      });
  merge(
      total.classes, launch.classes, [](const auto& a, const auto& b) { return a.name == b.name; },
      [](auto& into, const auto& from) { into.executed += from.executed; });
  merge(
      total.opcodes, launch.opcodes, [](const auto& a, const auto& b) { return a.opcode == b.opcode; },
      [](auto& into, const auto& from) { into.executed += from.executed; });
  trace::add_links(total.links, launch.links);
  std::move(launch.findings.begin(), launch.findings.end(), std::back_inserter(total.findings));
}

}  // namespace

void LaunchSummary::add(LaunchReport report) {
  const std::lock_guard lock(mutex_);
  Total& total =
      totals_[{report.kernel, report.grid, report.block, report.dynamic_shared_bytes, report.range}];
  if (total.launches++ == 0)
    total.report = std::move(report);
  else
    add_to(total.report, report);
}

std::string LaunchSummary::lines() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [key, total] : totals_)
    text += fmt::format("{{\"launches\":{},", total.launches) + trace::to_json_line(total.report).substr(1);
  return text;
}

}  // namespace ridge::runtime
