#include "virtual_gpu/observe/counts/sass_executions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "virtual_gpu/observe/counts/sass_graph.h"

namespace ridge::observe {
namespace {

using warp_model::SassClass;
using warp_model::SassFlow;
using warp_model::SassInstruction;
using Count = SassGraph::Count;

// The weight of a counterpart as evidence for a line's executions: instructions that ptxas may not
// move or duplicate have more.
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

class Flow {
 public:
  Flow(std::span<const SassInstruction> code, const PtxCounts& ptx, uint64_t warps)
      : code_(code.begin(), code.end()),
        ptx_(ptx),
        warps_(static_cast<int64_t>(warps)),
        graph_(code_),
        runs_(graph_.runs),
        edges_(graph_.edges) {
    label_first_attempts();
  }

  std::vector<uint64_t> solve() {
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

 private:
  // A loop that waits for an mbarrier: ptxas peels off its first attempt and may assign it the line
  // of the preceding code. It is a counterpart of the wait's line like those in the loop.
  void label_first_attempts() {
    for (size_t r = 0; r < runs_.size(); ++r) {
      if (!graph_.loops(r)) continue;
      for (size_t k = runs_[r].first; k < runs_[r].last; ++k) {
        if (code_[k].sass_class != SassClass::sync || !is_witness(code_[k])) continue;
        for (const size_t edge : runs_[r].in) {
          const SassGraph::Run& before = runs_[edges_[edge].from];
          if (edges_[edge].from == r || before.last < before.first + 2) continue;
          SassInstruction& first = code_[before.last - 2];  // the branch to the loop follows
          if (first.sass_class == SassClass::sync && !first.guarded) first.ptx_line = code_[k].ptx_line;
        }
      }
    }
  }

  const PtxLineCounts* line_of(const SassInstruction& i) const {
    const auto line = ptx_.find(i.ptx_line);
    return i.ptx_line == 0 || line == ptx_.end() ? nullptr : &line->second;
  }
  bool is_witness(const SassInstruction& i) const {
    const PtxLineCounts* line = line_of(i);
    if (line == nullptr || line->counterpart == SassClass::other) return false;
    return line->counterpart == i.sass_class ||
           (line->counterpart == SassClass::global_atomic && i.sass_class == SassClass::global_reduction);
  }

  // True when an instruction is issued as often as its PTX line is executed. ptxas converts short
  // branches to predicates: such an instruction is issued also for lanes that would have branched
  // around it.
  bool is_firm(const SassInstruction& i) const {
    return !i.guarded || line_of(i)->is_predicated;
  }

  // If all counterparts of a line are in one run, the line's count is that of the run.
  void use_witnesses() {
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
      const auto executions =
          static_cast<int64_t>(counts.attempts != 0 && graph_.loops(run) ? counts.attempts : counts.executions);
      if (executions % count != 0) continue;
      votes[run][executions / count] += weight_of(counts.counterpart);
    }
    for (const auto& [run, values] : votes) {
      runs_[run].count = std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) {
                           return a.second < b.second;
                         })->first;
    }
    leave_out_other_spaces();
    runs_[0].count = runs_[0].in.empty() ? Count(warps_) : runs_[0].count;
    leave_out_rare_operands();
  }

  // Some atomics are first tried with a generic address; a run that tests the state space follows
  // for addresses that are not global. Kernels that use shared memory usually have shared addresses
  // in PTX, so that run is not issued.
  void leave_out_other_spaces() {
    for (SassGraph::Run& run : runs_)
      for (size_t k = run.first; k < run.last; ++k)
        if (code_[k].asks_for_space) run.count = 0;
  }

  // A branch around the call of such a routine is taken, unless an operand is rare.
  void leave_out_rare_operands() {
    for (const size_t edge : graph_.calls) {
      SassGraph::Run& run = runs_[edges_[edge].from];
      if (run.first == 0) continue;
      const SassInstruction& before = code_[run.first - 1];
      if (before.flow != SassFlow::branch || !before.guarded) continue;
      for (size_t k = run.first; k < run.last; ++k) {
        const PtxLineCounts* line = line_of(code_[k]);
        if (code_[k].flow == SassFlow::call && line != nullptr && line->calls_for_rare_operands)
          run.count = 0;
      }
    }
  }

  // Executions that enter a run from outside the graph.
  int64_t from_outside(size_t run) const { return run == 0 ? warps_ : 0; }

  int64_t divergences_of(size_t run) const {
    const SassInstruction& last = code_[runs_[run].last - 1];
    const PtxLineCounts* line = line_of(last);
    if (last.flow != SassFlow::branch || line == nullptr) return 0;
    // In every iteration but the last, some lanes leave the loop of an atomic while others
    // continue.
    if (line->attempts != 0 && graph_.loops(run))
      return static_cast<int64_t>(line->attempts - std::min(line->attempts, line->executions));
    return static_cast<int64_t>(line->divergences);
  }

  static bool set(Count& count, int64_t value) {
    if (count.has_value()) return false;
    count = std::max<int64_t>(0, value);
    return true;
  }

  // The sum over all edges of a list except one unknown edge; false when more than one is unknown.
  bool sum_known(const std::vector<size_t>& list, int64_t& sum, size_t& unknown) const {
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

  bool follow() {
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

  // Edges into and out of a run that is never issued have count 0.
  bool close(const SassGraph::Run& run) {
    bool any = false;
    for (const size_t edge : run.in)
      any |= set(edges_[edge].count, 0);
    for (const size_t edge : run.out)
      any |= set(edges_[edge].count, 0);
    return any;
  }

  bool follow_entries(size_t r, SassGraph::Run& run) {
    int64_t sum = 0;
    size_t unknown = SassGraph::kNowhere;
    if (!sum_known(run.in, sum, unknown)) return false;
    sum += from_outside(r);
    if (unknown == SassGraph::kNowhere) return set(run.count, sum);
    return run.count && set(edges_[unknown].count, *run.count - sum);
  }

  bool follow_exits(size_t r, SassGraph::Run& run) {
    const SassInstruction& last = code_[run.last - 1];
    if (last.flow == SassFlow::meet) return follow_convergence(run);
    if (last.flow == SassFlow::exit && last.guarded) return exit_as_in_ptx(run, last);
    if (run.out.empty() || last.flow == SassFlow::other) return false;
    if (branch_as_in_ptx(run, last)) return true;
    int64_t sum = 0;
    size_t unknown = SassGraph::kNowhere;
    if (!sum_known(run.out, sum, unknown)) return false;
    if (unknown != SassGraph::kNowhere)
      return run.count && set(edges_[unknown].count, *run.count + divergences_of(r) - sum);
    return set(run.count, sum - divergences_of(r));
  }

  // A guarded EXIT is a PTX branch to the end; the PTX counts show how many warps continued, if
  // they are known.
  bool exit_as_in_ptx(SassGraph::Run& run, const SassInstruction& last) {
    const PtxLineCounts* line = line_of(last);
    if (line == nullptr || !line->fell_through || run.out.size() != 1 || !run.count) return false;
    if (*run.count != static_cast<int64_t>(line->executions)) return false;
    return set(edges_[run.out.front()].count, static_cast<int64_t>(*line->fell_through));
  }

  // A branch that is executed as often as its PTX line, whose count of fall-throughs is known.
  bool branch_as_in_ptx(SassGraph::Run& run, const SassInstruction& last) {
    const PtxLineCounts* line = line_of(last);
    if (last.flow != SassFlow::branch || run.out.size() != 2 || line == nullptr || !line->fell_through ||
        !run.count || *run.count != static_cast<int64_t>(line->executions)) {
      return false;
    }
    // The edge that leads closer to the PTX branch's target is the taken one.
    const auto distance = [&](size_t edge) {
      const int64_t at = code_[runs_[edges_[edge].to].first].ptx_line;
      return std::abs(at - static_cast<int64_t>(line->target_line));
    };
    size_t falls = run.out[0], taken = run.out[1];
    if (distance(falls) == distance(taken)) return false;
    if (distance(falls) < distance(taken)) std::swap(falls, taken);
    const auto fell = static_cast<int64_t>(*line->fell_through);
    const int64_t went = static_cast<int64_t>(line->executions + line->divergences) - fell;
    const bool any = set(edges_[falls].count, fell);
    return set(edges_[taken].count, went) || any;
  }

  // After a BSYNC the warp continues once for every time that it executed the BSSY.
  bool follow_convergence(SassGraph::Run& run) {
    if (run.out.size() != 1) return false;
    int64_t sum = 0;
    bool any = false;
    for (const SassGraph::Run& other : runs_) {
      for (size_t k = other.first; k < other.last; ++k) {
        if (code_[k].flow != SassFlow::converge || graph_.index_of(code_[k].target) != run.last) continue;
        if (!other.count) return false;
        sum += *other.count;
        any = true;
      }
    }
    return any && set(edges_[run.out.front()].count, sum);
  }

  // A line with counterparts in several runs, of which all but one are known.
  bool split_between_copies() {
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
      if (unknowns == 1 && rest >= 0 && rest % copies == 0) any |= set(runs_[unknown].count, rest / copies);
    }
    return any;
  }

  // The last known run before another one, which usually leads to it.
  int64_t entries_of(size_t r) const {
    while (r-- > 0) {
      if (runs_[r].is_reachable && runs_[r].count && *runs_[r].count > 0) return *runs_[r].count;
    }
    return 0;
  }

  // A loop with several copies of a line, and runs with fewer copies for the remaining iterations.
  // Guarded copies are ignored: their runs are issued anyway.
  bool unroll_one() {
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
      // The same number of iterations for each entry, or one more: as in a loop whose iterations
      // are distributed over the warps.
      const int64_t all = std::max<int64_t>(0, rest), more = all % entries;
      int64_t turns[] = {all / entries, all / entries + 1};
      const int64_t times_of[] = {entries - more, more};
      bool any = false;
      for (const auto& [copies, run] : unknown) {
        int64_t issued = 0, back = 0;
        for (int i = 0; i < 2; ++i) {
          const int64_t once = turns[i] / copies,
                        times = graph_.loops(run) ? once : std::min<int64_t>(1, once);
          turns[i] -= times * copies;
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

  // The maximum number of executions that can enter a run, if the runs before it are known. A loop
  // of one run that is never entered is never issued.
  Count most_into(size_t r) const {
    int64_t sum = from_outside(r);
    for (const size_t edge : runs_[r].in) {
      const size_t from = edges_[edge].from;
      if (from == r) continue;
      if (!edges_[edge].count && !runs_[from].count) return {};
      sum += edges_[edge].count ? *edges_[edge].count : *runs_[from].count + divergences_of(from);
    }
    return graph_.loops(r) && sum > 0 ? Count() : Count(sum);
  }

  // Sets the first run with an unknown count to the most common count of its lines.
  bool guess_one() {
    for (size_t r = 0; r < runs_.size(); ++r) {
      SassGraph::Run& run = runs_[r];
      if (run.count) continue;
      std::map<int64_t, int> votes;
      for (size_t k = run.first; k < run.last; ++k)
        if (const PtxLineCounts* line = line_of(code_[k]); line != nullptr && is_firm(code_[k]))
          ++votes[static_cast<int64_t>(line->executions)];
      const auto most = std::max_element(votes.begin(), votes.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      const int64_t guess = most == votes.end() ? 0 : most->first;
      return set(run.count, std::min(guess, most_into(r).value_or(guess)));
    }
    return false;
  }

  std::vector<SassInstruction> code_;
  const PtxCounts& ptx_;
  int64_t warps_;
  SassGraph graph_;
  std::vector<SassGraph::Run>& runs_;
  std::vector<SassGraph::Edge>& edges_;
  std::vector<std::pair<uint32_t, std::map<size_t, int64_t>>> shared_lines_;
  std::map<uint32_t, std::map<size_t, int64_t>> unguarded_;  // copies by line: by run
};

}  // namespace

std::vector<uint64_t> sass_executions(std::span<const SassInstruction> code, const PtxCounts& ptx,
                                      uint64_t warps) {
  if (code.empty()) return {};
  return Flow(code, ptx, warps).solve();
}

}  // namespace ridge::observe
