// What PTX lines tell at once about runs of the SASS.
#include <algorithm>
#include <set>

#include "virtual_gpu/observe/counts/sass/rare_routines.h"
#include "virtual_gpu/observe/counts/sass/sass_flow_solver.h"

namespace ridge::observe {

using warp_model::SassClass;
using warp_model::SassFlow;
using warp_model::SassInstruction;

namespace {

// How much a counterpart's line is worth as a witness: what may not be moved or doubled says more.
int weight_of(SassClass c) {
  switch (c) {
    case SassClass::barrier:
    case SassClass::global_store:
    case SassClass::shared_store:
    case SassClass::global_atomic:
    case SassClass::shared_atomic:
      return 8;
    case SassClass::global_load:
    case SassClass::shared_load:
    case SassClass::warp:
    case SassClass::tensor:
    case SassClass::matrix_load:
    case SassClass::matrix_store:
    case SassClass::async_copy:
      return 4;
    default:
      return 1;
  }
}

}  // namespace

// A loop that waits for an mbarrier: ptxas peels its first try off, and may give that the line of what
// comes before. It is a counterpart of the wait's line like those in the loop.
void SassFlowSolver::label_first_attempts() {
  for (size_t r = 0; r < runs_.size(); ++r) {
    if (!graph_.loops(r)) continue;
    for (size_t k = runs_[r].first; k < runs_[r].last; ++k) {
      if (code_[k].sass_class != SassClass::sync || !is_witness(code_[k])) continue;
      for (const size_t edge : runs_[r].in) {
        const SassGraph::Run& before = runs_[edges_[edge].from];
        if (edges_[edge].from == r || before.last < before.first + 2) continue;
        SassInstruction& first = code_[before.last - 2];  // behind it is the branch to the loop
        if (first.sass_class == SassClass::sync && !first.guarded)
          first.ptx_line = code_[k].ptx_line;
      }
    }
  }
}

const PtxLineCounts* SassFlowSolver::line_of(const SassInstruction& i) const {
  const auto line = ptx_.find(i.ptx_line);
  return i.ptx_line == 0 || line == ptx_.end() ? nullptr : &line->second;
}

bool SassFlowSolver::is_witness(const SassInstruction& i) const {
  const PtxLineCounts* line = line_of(i);
  if (line == nullptr || line->counterpart == SassClass::other) return false;
  return line->counterpart == i.sass_class || (line->counterpart == SassClass::global_atomic &&
                                               i.sass_class == SassClass::global_reduction);
}

// Whether an instruction is issued as often as its PTX line is executed. ptxas turns short branches into
// guards: such an instruction is issued for those too who would have branched around it.
bool SassFlowSolver::is_firm(const SassInstruction& i) const {
  return !i.guarded || line_of(i)->is_predicated;
}

// A line whose counterparts all lie in one run says how often that run was issued.
void SassFlowSolver::use_witnesses() {
  std::map<uint32_t, std::map<size_t, int64_t>> copies;  // by line: by run
  std::set<uint32_t> unfirm;
  for (size_t r = 0; r < runs_.size(); ++r) {
    if (!runs_[r].is_reachable) continue;
    for (size_t k = runs_[r].first; k < runs_[r].last; ++k) {
      if (!is_witness(code_[k])) continue;
      ++copies[code_[k].ptx_line][r];
      if (!is_firm(code_[k])) unfirm.insert(code_[k].ptx_line);
      if (!code_[k].guarded) ++unguarded_[code_[k].ptx_line][r];
    }
  }
  std::map<size_t, std::map<int64_t, int>> votes;
  for (const auto& [line, by_run] : copies) {
    if (unfirm.contains(line)) continue;
    if (by_run.size() != 1) {
      shared_lines_.push_back({line, by_run});
      continue;
    }
    const auto [run, count] = *by_run.begin();
    const PtxLineCounts& counts = ptx_.at(line);
    const auto executions = static_cast<int64_t>(
        counts.attempts != 0 && graph_.loops(run) ? counts.attempts : counts.executions);
    if (executions % count != 0) continue;
    votes[run][executions / count] += weight_of(counts.counterpart);
  }
  for (const auto& [run, values] : votes) {
    runs_[run].count =
        std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
  }
  leave_out_other_spaces();
  count_whole_warp_sums();
  runs_[0].count = runs_[0].in.empty() ? Count(warps_) : runs_[0].count;
  known_divergences_ = count_rare_calls(graph_, code_, ptx_);
  use_iterations();
}

// Some atomics are tried with a generic address first. If it turns out not to be global, a run that asks for
// the space follows. Kernels that do this in shared memory use shared addresses in PTX, as a rule.
void SassFlowSolver::leave_out_other_spaces() {
  for (SassGraph::Run& run : runs_)
    for (size_t k = run.first; k < run.last; ++k)
      if (code_[k].asks_for_space) run.count = 0;
}

// To one address a warp may add its values up with shuffles and make one atomic. The SASS does so only for
// warps whose lanes are all there, behind a branch around it.
void SassFlowSolver::count_whole_warp_sums() {
  for (size_t r = 1; r < runs_.size(); ++r) {
    SassGraph::Run& run = runs_[r];
    const SassInstruction& before = code_[run.first - 1];
    if (before.flow != SassFlow::branch || !before.guarded) continue;
    uint32_t line = 0;
    bool shuffles = false;
    for (size_t k = run.first; k < run.last; ++k) {
      shuffles |= code_[k].sass_class == SassClass::warp;
      if (is_witness(code_[k]) &&
          ptx_.at(code_[k].ptx_line).counterpart == SassClass::global_atomic)
        line = code_[k].ptx_line;
    }
    const auto does_it = [&](const SassInstruction& i) {
      return i.ptx_line == line && is_witness(i);
    };
    if (line != 0 && shuffles &&
        std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(runs_[r - 1].first),
                    code_.begin() + static_cast<std::ptrdiff_t>(run.first), does_it))
      run.count = static_cast<int64_t>(ptx_.at(line).whole_warps);
  }
}

}  // namespace ridge::observe
