#include "virtual_gpu/observe/counts/sass/sass_executions.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "virtual_gpu/observe/counts/sass/sass_flow_solver.h"

namespace ridge::observe {

using warp_model::SassFlow;
using warp_model::SassInstruction;

std::vector<uint64_t> SassFlowSolver::solve() {
  use_witnesses();
  for (;;) {
    while (follow()) {
    }
    if (!split_between_copies() && !unroll_one() && !guess_one()) break;
  }
  std::vector<uint64_t> executions(code_.size());
  for (const SassGraph::Run& run : runs_) {
    const int64_t count = run.count.value_or(0);
    for (size_t k = run.first; k < run.last; ++k)
      executions[k] = static_cast<uint64_t>(std::max<int64_t>(0, count));
  }
  return executions;
}

// What enters a run from outside.
int64_t SassFlowSolver::from_outside(size_t run) const {
  return run == 0 ? warps_ : 0;
}

int64_t SassFlowSolver::divergences_of(size_t run) const {
  if (const auto known = known_divergences_.find(run); known != known_divergences_.end())
    return known->second;
  const SassInstruction& last = code_[runs_[run].last - 1];
  const PtxLineCounts* line = line_of(last);
  if (last.flow != SassFlow::branch || line == nullptr || is_copy_before_loop_[run]) return 0;
  // In every attempt but the last, and those that other warps make fail, lanes leave the loop of an atomic while
  // others go on.
  if (line->attempts != 0 && graph_.loops(run)) {
    const uint64_t without_parting = line->executions + line->failed_attempts;
    return static_cast<int64_t>(line->attempts - std::min(line->attempts, without_parting));
  }
  return static_cast<int64_t>(line->divergences);
}

// ptxas may test a loop's condition before the loop and at its end: the lanes part at the end, as a
// rule, and must not be counted twice.
void SassFlowSolver::find_copies_before_loops() {
  std::unordered_multimap<uint32_t, const SassInstruction*> back;  // branches, by PTX line
  for (const SassInstruction& i : code_)
    if (i.flow == SassFlow::branch && i.target <= i.address) back.emplace(i.ptx_line, &i);
  for (const SassGraph::Run& run : runs_) {
    const SassInstruction& last = code_[run.last - 1];
    const auto [first, end] = back.equal_range(last.ptx_line);
    is_copy_before_loop_.push_back(last.target > last.address &&
                                   std::any_of(first, end, [&](const auto& other) {
                                     return other.second->target > last.address;
                                   }));
  }
}

bool SassFlowSolver::set(Count& count, int64_t value) {
  if (count.has_value()) return false;
  count = std::max<int64_t>(0, value);
  return true;
}

// Sums of all edges of a list but the unknown one; false when more than one is unknown.
bool SassFlowSolver::sum_known(const std::vector<size_t>& list, int64_t& sum,
                               size_t& unknown) const {
  sum = 0;
  unknown = SassGraph::kNowhere;
  for (const size_t edge : list) {
    if (edges_[edge].count) {
      sum += *edges_[edge].count;
    } else if (unknown != SassGraph::kNowhere) {
      return false;
    } else {
      unknown = edge;
    }
  }
  return true;
}

bool SassFlowSolver::follow() {
  bool any = false;
  for (const size_t edge : graph_.calls)
    if (const Count& times = runs_[edges_[edge].from].count) any |= set(edges_[edge].count, *times);
  for (size_t r = 0; r < runs_.size(); ++r) {
    SassGraph::Run& run = runs_[r];
    if (!run.is_reachable) continue;
    if (run.count == 0) any |= close(run);
    any |= follow_entries(r, run);
    any |= follow_exits(r, run);
  }
  return any;
}

// Nobody goes into or out of a run that is never issued.
bool SassFlowSolver::close(const SassGraph::Run& run) {
  bool any = false;
  for (const size_t edge : run.in)
    any |= set(edges_[edge].count, 0);
  for (const size_t edge : run.out)
    any |= set(edges_[edge].count, 0);
  return any;
}

bool SassFlowSolver::follow_entries(size_t r, SassGraph::Run& run) {
  int64_t sum = 0;
  size_t unknown = SassGraph::kNowhere;
  if (!sum_known(run.in, sum, unknown)) return false;
  sum += from_outside(r);
  if (unknown == SassGraph::kNowhere) return set(run.count, sum);
  return run.count && set(edges_[unknown].count, *run.count - sum);
}

bool SassFlowSolver::follow_exits(size_t r, SassGraph::Run& run) {
  const SassInstruction& last = code_[run.last - 1];
  if (last.flow == SassFlow::reconverge) return follow_convergence(r, run);
  if (last.flow == SassFlow::exit && last.guarded) return exit_as_in_ptx(run);
  if (run.out.empty() || last.flow == SassFlow::other) return false;
  if (branch_as_in_ptx(run, last)) return true;
  int64_t sum = 0;
  size_t unknown = SassGraph::kNowhere;
  if (!sum_known(run.out, sum, unknown)) return false;
  if (unknown != SassGraph::kNowhere)
    return run.count && set(edges_[unknown].count, *run.count + divergences_of(r) - sum);
  return set(run.count, sum - divergences_of(r));
}

// A guarded EXIT is a PTX branch to the end; how many went on is known from there, if at all.
bool SassFlowSolver::exit_as_in_ptx(SassGraph::Run& run) {
  const PtxLineCounts* line = line_of(code_[run.last - 1]);
  if (line == nullptr || !line->fell_through || run.out.size() != 1 || !run.count) return false;
  if (*run.count != static_cast<int64_t>(line->executions)) return false;
  return set(edges_[run.out.front()].count, static_cast<int64_t>(*line->fell_through));
}

// A branch that is executed as often as its PTX line, which says how many fell through.
bool SassFlowSolver::branch_as_in_ptx(SassGraph::Run& run, const SassInstruction& last) {
  const PtxLineCounts* line = line_of(code_[run.last - 1]);
  if (last.flow != SassFlow::branch || run.out.size() != 2 || line == nullptr ||
      !line->fell_through || !run.count || *run.count != static_cast<int64_t>(line->executions)) {
    return false;
  }
  // The side that leads nearer to the PTX branch's target is the one taken. Its first instructions may have been moved
  // there from elsewhere.
  const auto distance = [&](size_t edge) {
    const SassGraph::Run& side = runs_[edges_[edge].to];
    int64_t nearest = std::numeric_limits<int64_t>::max();
    for (size_t k = side.first; k < side.last; ++k)
      if (code_[k].ptx_line != 0)
        nearest = std::min(nearest, std::abs(int64_t{code_[k].ptx_line} - int64_t{line->target_line}));
    return nearest;
  };
  size_t falls = run.out[0], taken = run.out[1];
  if (distance(falls) == distance(taken)) return false;
  if (distance(falls) < distance(taken)) std::swap(falls, taken);
  const auto fell = static_cast<int64_t>(*line->fell_through);
  const int64_t went = static_cast<int64_t>(line->executions + line->divergences) - fell;
  const bool any = set(edges_[falls].count, fell);
  return set(edges_[taken].count, went) || any;
}

void SassFlowSolver::find_convergence() {
  std::unordered_map<size_t, std::vector<size_t>> by_target;  // instruction: runs, once per BSSY
  for (size_t r = 0; r < runs_.size(); ++r)
    for (size_t k = runs_[r].first; k < runs_[r].last; ++k)
      if (code_[k].flow == SassFlow::converge)
        by_target[graph_.index_of(code_[k].target)].push_back(r);
  converging_.resize(runs_.size());
  for (size_t r = 0; r < runs_.size(); ++r)
    if (const auto found = by_target.find(runs_[r].last); found != by_target.end())
      converging_[r] = found->second;
}

// After a BSYNC the warp goes on once for every time that it passed the BSSY.
bool SassFlowSolver::follow_convergence(size_t r, SassGraph::Run& run) {
  if (run.out.size() != 1 || converging_[r].empty()) return false;
  int64_t sum = 0;
  for (const size_t other : converging_[r]) {
    if (!runs_[other].count) return false;
    sum += *runs_[other].count;
  }
  return set(edges_[run.out.front()].count, sum);
}

std::vector<uint64_t> sass_executions(std::span<const SassInstruction> code, const PtxCounts& ptx,
                                      uint64_t warps) {
  if (code.empty()) return {};
  return SassFlowSolver(code, ptx, warps).solve();
}

}  // namespace ridge::observe
