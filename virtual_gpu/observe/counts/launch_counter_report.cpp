// Converts the totals of a launch to its report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/counts/launch_counter.h"
#include "virtual_gpu/observe/counts/sass/round_trips.h"
#include "virtual_gpu/observe/counts/sass/sass_counterparts.h"
#include "virtual_gpu/observe/counts/sass/sass_executions.h"

namespace ridge::observe {
namespace {

using machine::AccessSpace;
using warp_model::SassClass;
using warp_model::SassInstruction;

constexpr std::string_view kSpaceNames[] = {"global", "shared", "local", "constant"};
constexpr std::string_view kKindNames[] = {"load", "store", "atomic", "reduction"};

bool is_local(SassClass c) {
  return c == SassClass::local_load || c == SassClass::local_store;
}

// True when a SASS instruction of class `c` performs a PTX access to `space`, so that its
// executions count.
bool serves(SassClass c, std::string_view space) {
  if (space == "global")
    return (c >= SassClass::global_load && c <= SassClass::global_reduction) || c == SassClass::async_copy ||
           (c >= SassClass::generic_load && c <= SassClass::generic_atomic);
  if (space == "shared")
    return (c >= SassClass::shared_load && c <= SassClass::matrix_store) || c == SassClass::async_copy ||
           (c >= SassClass::generic_load && c <= SassClass::generic_atomic);
  return space == "local" ? is_local(c) : c == SassClass::constant_load;
}

// "wgmma.wait_group.sync.aligned 0", "setmaxnreg.inc.sync.aligned.u32 240": for these instructions
// the number is relevant.
std::string opcode_with_number(const machine::InstructionSource& source) {
  if (source.opcode.find("wait_group") == std::string::npos && !source.opcode.starts_with("setmaxnreg"))
    return std::string(source.opcode);
  const size_t last = source.text.find_last_of("0123456789");
  if (last == std::string::npos) return std::string(source.opcode);
  const size_t before = source.text.find_last_not_of("0123456789", last);
  const size_t first = before == std::string::npos ? 0 : before + 1;
  return fmt::format("{} {}", source.opcode, source.text.substr(first, last + 1 - first));
}

std::vector<trace::OpcodeCounts> executed_opcodes(const std::vector<machine::InstructionSource>& sources,
                                                  const std::vector<uint64_t>& executions) {
  std::map<std::string, uint64_t> sums;
  for (size_t k = 0; k < sources.size(); ++k)
    if (executions[k] != 0) sums[opcode_with_number(sources[k])] += executions[k];
  std::vector<trace::OpcodeCounts> list;
  for (auto& [opcode, executed] : sums)
    list.push_back({opcode, executed});
  return list;
}

void report_spills(trace::LaunchReport& report, const SassInstruction& i, uint64_t executed,
                   const PtxCounts& ptx) {
  if (!is_spill(i, ptx)) return;
  const bool is_load = i.sass_class == SassClass::local_load;
  ++(is_load ? report.spill_loads_in_code : report.spill_stores_in_code);
  (is_load ? report.spill_loads : report.spill_stores) += executed;
  // A spill store writes 32 x `lane_bytes` bytes to L2: `lane_bytes` sectors of 32 bytes.
  if (!is_load) report.l2_write_sectors += executed * i.lane_bytes;
}

}  // namespace

trace::LaunchReport LaunchCounter::report(SpillsBehind* spills) const {
  trace::LaunchReport report;
  report.warp_instructions = total_.warp_instructions;
  report.thread_instructions = total_.thread_instructions;
  report.busiest_block_instructions = total_.busiest_block_instructions;
  report.barriers = total_.barriers;
  report.divergent_branches = total_.divergent_branches;
  if (program_ == nullptr) return report;
  const std::vector<machine::InstructionSource>& sources = machine::sources(*program_);
  std::vector<uint64_t> executions(sources.size());
  int64_t running = 0;
  for (size_t instruction = 0; instruction < sources.size(); ++instruction) {
    running += total_.executions_change[instruction];
    executions[instruction] = static_cast<uint64_t>(running);
    const machine::InstructionSource& source = sources[instruction];
    for (size_t space = 0; space < LaunchCounts::kSpaces; ++space) {
      const size_t place = LaunchCounts::place_of(instruction, static_cast<AccessSpace>(space));
      const SpaceCounts& counts = total_.by_space[place];
      if (counts.requests == 0) continue;
      trace::InstructionCounts& row = report.instructions.emplace_back();
      row.file = source.file;
      row.line = source.line;
      row.ptx_line = source.ptx_line;
      row.text = source.text;
      row.opcode = source.opcode;
      row.space = kSpaceNames[space];
      row.kind = kKindNames[static_cast<size_t>(total_.kinds[place])];
      row.executions = executions[instruction];
      row.lanes = counts.lanes;
      row.requests = counts.requests;
      row.sectors = counts.sectors;
      row.ideal_sectors = counts.ideal_sectors;
      row.tags = counts.tags;
      row.wavefronts = counts.wavefronts;
      row.ideal_wavefronts = counts.ideal_wavefronts;
      row.bytes = counts.bytes;
      row.sass_wavefronts = counts.sass_wavefronts;
      row.sass_ideal_wavefronts = counts.sass_ideal_wavefronts;
      row.sass_loop_load_wavefronts = counts.loop_load_wavefronts;
      if (row.space != "shared") continue;
      report.shared_requests += counts.requests;
      report.shared_wavefronts += counts.wavefronts;
      report.shared_conflicts += counts.wavefronts - counts.ideal_wavefronts;
      report.sass_shared_wavefronts += counts.sass_wavefronts;
      report.sass_shared_conflicts += counts.sass_wavefronts - counts.sass_ideal_wavefronts;
    }
    if (total_.divergences[instruction] != 0) {
      report.branches.push_back({std::string(source.file), source.line, source.ptx_line,
                                 std::string(source.text), executions[instruction], total_.divergences[instruction]});
    }
  }
  report.copy_groups = total_.copy_groups;
  report.wgmma_drains = total_.wgmma_drains;
  report.instructions_behind_copies = total_.instructions_behind_copies;
  report.wgmma_groups = total_.wgmma_groups;
  report.instructions_behind_wgmma = total_.instructions_behind_wgmma;
  report.opcodes = executed_opcodes(sources, executions);
  if (code_ != nullptr) report_sass(report, executions, spills);
  return report;
}

void LaunchCounter::report_sass(trace::LaunchReport& report, const std::vector<uint64_t>& executions,
                                SpillsBehind* spills) const {
  const std::vector<machine::InstructionSource>& sources = machine::sources(*program_);
  PtxCounts ptx;
  std::set<uint32_t> targets;
  for (const machine::MicroOp& op : program_->ops)
    if (op.target != machine::kNoTarget) targets.insert(op.target);
  for (size_t k = 0; k < sources.size(); ++k) {
    PtxLineCounts& line = ptx[sources[k].ptx_line];
    line.executions = std::max(line.executions, executions[k]);
    line.divergences += total_.divergences[k];
    line.counterpart = counterpart_of(sources[k].text);
    const SpaceCounts& shared = total_.by_space[LaunchCounts::place_of(k, AccessSpace::shared)];
    line.attempts += shared.attempts;
    line.failed_attempts += shared.failed_attempts;
    line.whole_warps += total_.by_space[LaunchCounts::place_of(k, AccessSpace::global)].whole_warps;
    line.is_predicated = sources[k].text.starts_with('@');
    if (!rounded_.empty() && rounded_[k] != RoundedForm::none) {
      line.rounded = rounded_[k];
      line.rare.add(total_.rare_calls[k]);
    }
    const machine::MicroOp& op = program_->ops[k];
    if (op.kind != machine::OpKind::branch || op.target == machine::kNoTarget) continue;
    line.target_line = sources[op.target].ptx_line;
    // An instruction after a forward branch that is no branch target is reached only by falling
    // through. (Lanes that leave a loop one by one continue together, once.)
    if (k + 1 < sources.size() && op.target > k && !targets.contains(static_cast<uint32_t>(k + 1)))
      line.fell_through = executions[k + 1];
  }
  for (const UnrolledLoop& loop : total_.loops) {
    for (uint32_t k = loop.first; k <= loop.last && !total_.loops_are_mixed; ++k)
      ptx[sources[k].ptx_line].loop = &loop;
  }
  const std::vector<uint64_t> issued = sass_executions(*code_, ptx, warps_);
  if (spills != nullptr) *spills = place_spills(*code_, ptx, issued);
  const std::vector<uint8_t> waits = round_trips(*code_, issued);
  std::array<trace::ClassCounts, warp_model::kSassClasses> classes;
  std::map<std::pair<uint32_t, SassClass>, uint64_t> issued_of_line;
  for (size_t k = 0; k < code_->size(); ++k) {
    const SassInstruction& i = (*code_)[k];
    if (i.padding && issued[k] == 0) continue;  // padding after the end of the code
    trace::ClassCounts& of_class = classes[static_cast<size_t>(i.sass_class)];
    ++of_class.in_code;
    of_class.executed += issued[k];
    report.sass_instructions += issued[k];
    if (waits[k] != 0) report.load_round_trips += issued[k];
    if (issued[k] != 0) report.sass_code_bytes = (k + 1) * warp_model::kSassBytes;
    issued_of_line[{i.ptx_line, i.sass_class}] += issued[k];
    report_spills(report, i, issued[k], ptx);
  }
  for (size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].in_code == 0) continue;
    classes[c].name = warp_model::name(static_cast<SassClass>(c));
    report.classes.push_back(std::move(classes[c]));
  }
  for (trace::InstructionCounts& row : report.instructions) {
    // An atomic whose result is not used becomes a reduction on the GPU.
    if (row.space == "global" && row.kind == "atomic" &&
        issued_of_line.contains({row.ptx_line, SassClass::global_reduction}) &&
        !issued_of_line.contains({row.ptx_line, SassClass::global_atomic})) {
      row.kind = "reduction";
    }
    for (auto at = issued_of_line.lower_bound({row.ptx_line, SassClass{}});
         at != issued_of_line.end() && at->first.first == row.ptx_line; ++at) {
      if (serves(at->first.second, row.space)) row.sass_executions += at->second;
    }
  }
}

}  // namespace ridge::observe
