// Runs that are copies of one PTX line: how many iterations each of them made, and an estimate for
// those that this does not determine.
#include <algorithm>
#include <functional>

#include "virtual_gpu/observe/counts/sass/sass_flow_solver.h"

namespace ridge::observe {

// A line with counterparts in several runs, of which all but one are known.
bool SassFlowSolver::split_between_copies() {
  bool any = false;
  for (const auto& [line, by_run] : shared_lines_) {
    const auto unguarded = unguarded_.find(line);
    if (unguarded == unguarded_.end() || unguarded->second != by_run) continue;
    int64_t rest = static_cast<int64_t>(ptx_.at(line).executions), copies = 0;
    size_t unknown = SassGraph::kNowhere;
    int unknowns = 0;
    for (const auto& [run, count] : by_run) {
      if (runs_[run].count) {
        rest -= *runs_[run].count * count;
      } else {
        unknown = run;
        copies = count;
        ++unknowns;
      }
    }
    if (unknowns == 1 && rest >= 0 && rest % copies == 0)
      any |= set(runs_[unknown].count, rest / copies);
  }
  return any;
}

// How often the run before another one is issued: what leads to it, as a rule. 0: not known yet.
int64_t SassFlowSolver::entries_of(size_t r) const {
  while (r-- > 0) {
    if (runs_[r].is_reachable && runs_[r].count != 0) return runs_[r].count.value_or(0);
  }
  return 0;
}

// Loops whose lanes' iterations were counted: their stages are known before anything else.
void SassFlowSolver::use_iterations() {
  for (const auto& [line, by_run] : unguarded_) {
    const UnrolledLoop* const loop = ptx_.at(line).loop;
    if (loop != nullptr && by_run.size() == loop->stages.size()) place_stages(*loop, by_run);
  }
}

void SassFlowSolver::place_stages(const UnrolledLoop& loop,
                                  const std::map<size_t, int64_t>& by_run) {
  std::vector<std::pair<int64_t, size_t>> runs;  // copies, run
  for (const auto& [run, copies] : by_run)
    runs.push_back({copies, run});
  std::sort(runs.begin(), runs.end(), std::greater<>());
  for (size_t k = 0; k < runs.size(); ++k) {
    const auto [copies, run] = runs[k];
    if (copies != loop.stages[k].copies || graph_.loops(run) != loop.stages[k].loops ||
        runs_[run].count)
      return;
  }
  for (size_t k = 0; k < runs.size(); ++k) {
    const UnrolledStage& stage = loop.stages[k];
    const size_t run = runs[k].second;
    runs_[run].count = static_cast<int64_t>(stage.issued);
    if (stage.loops) known_divergences_[run] = static_cast<int64_t>(stage.parted);
    for (const size_t edge : runs_[run].out)
      if (edges_[edge].to == run) edges_[edge].count = static_cast<int64_t>(stage.again);
    if (const size_t guard = guard_before(run); guard != SassGraph::kNowhere)
      known_divergences_[guard] = static_cast<int64_t>(stage.mixed);
  }
}

// The run that ends with the branch around a stage: before it there may be runs that only prepare the stage.
size_t SassFlowSolver::guard_before(size_t run) const {
  constexpr size_t kMostPreparing = 2;
  for (size_t k = 1; k <= kMostPreparing && k <= run; ++k) {
    const SassInstruction& last = code_[runs_[run - k].last - 1];
    if (last.flow == warp_model::SassFlow::branch)
      return last.guarded ? run - k : SassGraph::kNowhere;
    if (last.flow != warp_model::SassFlow::straight) return SassGraph::kNowhere;
  }
  return SassGraph::kNowhere;
}

// A loop of several copies of a line, and runs with fewer copies for the remaining iterations.
// Guarded copies do not count: they lie in runs that are issued anyway.
bool SassFlowSolver::unroll_one() {
  for (const auto& [line, by_run] : unguarded_) {
    std::vector<std::pair<int64_t, size_t>> unknown;  // copies, run
    int64_t rest = static_cast<int64_t>(ptx_.at(line).executions);
    for (const auto& [run, copies] : by_run) {
      if (runs_[run].count)
        rest -= *runs_[run].count * copies;
      else
        unknown.push_back({copies, run});
    }
    if (unknown.empty()) continue;
    size_t first = runs_.size();
    for (const auto& [copies, run] : unknown)
      first = std::min(first, run);
    const int64_t entries = entries_of(first);
    if (entries == 0) continue;
    std::sort(unknown.begin(), unknown.end(), [](const auto& a, const auto& b) {
      return std::pair(-a.first, a.second) < std::pair(-b.first, b.second);
    });
    // Every entry has the same number of iterations, or one more: a loop that is divided among the
    // warps element by element does this.
    const int64_t all = std::max<int64_t>(0, rest), more = all % entries;
    int64_t iterations[] = {all / entries, all / entries + 1};
    const int64_t times_of[] = {entries - more, more};
    bool any = false;
    for (const auto& [copies, run] : unknown) {
      int64_t issued = 0, back = 0;
      for (int i = 0; i < 2; ++i) {
        const int64_t once = iterations[i] / copies,
                      times = graph_.loops(run) ? once : std::min<int64_t>(1, once);
        iterations[i] -= times * copies;
        issued += times * times_of[i];
        back += std::max<int64_t>(0, times - 1) * times_of[i];
      }
      any |= set(runs_[run].count, issued);
      for (const size_t edge : runs_[run].out)
        if (edges_[edge].to == run) set(edges_[edge].count, back);
    }
    if (any) return true;
  }
  return false;
}

// How many can come into a run at most, if the runs that lead to it are known. A loop of one run that nobody
// enters is never issued.
SassGraph::Count SassFlowSolver::most_into(size_t r) const {
  int64_t sum = from_outside(r);
  for (const size_t edge : runs_[r].in) {
    const size_t from = edges_[edge].from;
    if (from == r) continue;
    if (!edges_[edge].count && !runs_[from].count) return {};
    sum += edges_[edge].count ? *edges_[edge].count : *runs_[from].count + divergences_of(from);
  }
  return graph_.loops(r) && sum > 0 ? Count() : Count(sum);
}

// Sets the first run whose count is unknown to the count of most of its lines.
bool SassFlowSolver::guess_one() {
  for (size_t r = 0; r < runs_.size(); ++r) {
    SassGraph::Run& run = runs_[r];
    if (run.count) continue;
    std::map<int64_t, int> votes;
    for (size_t k = run.first; k < run.last; ++k)
      if (const PtxLineCounts* line = line_of(code_[k]); line != nullptr && is_firm(code_[k]))
        ++votes[static_cast<int64_t>(line->executions)];
    const auto most =
        std::max_element(votes.begin(), votes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const int64_t guess = most == votes.end() ? 0 : most->first;
    return set(run.count, std::min(guess, most_into(r).value_or(guess)));
  }
  return false;
}

}  // namespace ridge::observe
