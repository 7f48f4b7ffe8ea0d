#include "virtual_gpu/observe/counts/sass/rare_routines.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace ridge::observe {
namespace {

using warp_model::SassFlow;
using warp_model::SassInstruction;

// A place in the code that calls a routine, behind a branch around it.
struct CallSite {
  size_t run = 0, guard = 0, routine = 0;  // runs
};

class RareRoutines {
 public:
  RareRoutines(SassGraph& graph, std::span<const SassInstruction> code, const PtxCounts& ptx)
      : graph_(graph), code_(code), ptx_(ptx) {}

  std::unordered_map<size_t, int64_t> count() {
    find_sites();
    for (const auto& [line, sites] : sites_) {
      share_calls(ptx_.at(line).rare, sites);
      issue_routine(ptx_.at(line), sites.front().routine);
    }
    for (const auto& [routine, issued] : issued_) {
      if (unknown_.contains(routine)) continue;
      for (const size_t run : reached_from(routine)) {
        const auto found = issued.find(run);
        graph_.runs[run].count = found == issued.end() ? 0 : found->second;
      }
    }
    return std::move(divergences_);
  }

 private:
  const SassInstruction& last_of(size_t run) const { return code_[graph_.runs[run].last - 1]; }

  void find_sites() {
    for (const size_t edge : graph_.calls) {
      const size_t run = graph_.edges[edge].from, routine = graph_.edges[edge].to;
      const std::optional<CallSite> site = site_of(run, routine);
      const auto line = site ? rounded_line_of(run) : ptx_.end();
      if (line == ptx_.end())
        unknown_.insert(routine);
      else
        sites_[line->first].push_back(*site);
    }
  }

  std::optional<CallSite> site_of(size_t run, size_t routine) const {
    if (run == 0) return {};
    const SassInstruction& before = last_of(run - 1);
    if (before.flow != SassFlow::branch || !before.guarded) return {};
    return CallSite{run, run - 1, routine};
  }

  PtxCounts::const_iterator rounded_line_of(size_t run) const {
    for (size_t k = graph_.runs[run].first; k < graph_.runs[run].last; ++k) {
      if (code_[k].flow != SassFlow::call) continue;
      const auto line = ptx_.find(code_[k].ptx_line);
      return line != ptx_.end() && line->second.rounded != RoundedForm::none ? line : ptx_.end();
    }
    return ptx_.end();
  }

  // Copies of one PTX instruction are taken to call equally often.
  void share_calls(const RareCalls& rare, const std::vector<CallSite>& sites) {
    const auto share = [&](uint64_t whole, size_t k) {
      return static_cast<int64_t>(whole / sites.size() + (k < whole % sites.size() ? 1 : 0));
    };
    for (size_t k = 0; k < sites.size(); ++k) {
      graph_.runs[sites[k].run].count = share(rare.calls, k);
      divergences_[sites[k].guard] = share(rare.mixed, k);
    }
  }

  void issue_routine(const PtxLineCounts& line, size_t routine) {
    std::map<size_t, int64_t>& issued = issued_[routine];
    const std::span<const std::string_view> paths = paths_of(line.rounded);
    for (const auto& [set, times] : line.rare.by_paths) {
      std::map<size_t, std::set<size_t>> entered_from;  // by run: runs
      for (size_t path = 0; path < paths.size(); ++path) {
        if ((set >> path & 1) == 0) continue;
        const std::vector<size_t> way = way_through(routine, paths[path]);
        if (way.empty()) unknown_.insert(routine);
        for (size_t k = 0; k < way.size(); ++k)
          entered_from[way[k]].insert(k == 0 ? SassGraph::kNowhere : way[k - 1]);
      }
      // Lanes that come different ways are issued apart; behind a BSYNC they go on together.
      for (const auto& [run, from] : entered_from)
        issued[run] += static_cast<int64_t>(times * from.size());
    }
  }

  // The runs from a routine's first to its return; empty when the branches do not fit.
  std::vector<size_t> way_through(size_t routine, std::string_view decisions) const {
    std::vector<size_t> way;
    for (size_t run = routine; way.size() < graph_.runs.size();) {
      way.push_back(run);
      const SassInstruction& last = last_of(run);
      const std::vector<size_t>& out = graph_.runs[run].out;
      if (last.flow == SassFlow::other && !last.guarded)
        return decisions.empty() ? way : std::vector<size_t>{};
      if (out.empty()) return {};
      bool is_taken = false;
      if (last.flow == SassFlow::branch && last.guarded) {
        if (decisions.empty() || out.size() != 2) return {};
        is_taken = decisions.front() == '1';
        decisions.remove_prefix(1);
      }
      run = graph_.edges[is_taken ? out.back() : out.front()].to;
    }
    return {};
  }

  std::set<size_t> reached_from(size_t routine) const {
    std::set<size_t> reached;
    std::vector<size_t> stack{routine};
    while (!stack.empty()) {
      const size_t run = stack.back();
      stack.pop_back();
      if (!reached.insert(run).second) continue;
      for (const size_t edge : graph_.runs[run].out)
        stack.push_back(graph_.edges[edge].to);
    }
    return reached;
  }

  SassGraph& graph_;
  std::span<const SassInstruction> code_;
  const PtxCounts& ptx_;
  std::map<uint32_t, std::vector<CallSite>> sites_;     // by PTX line
  std::map<size_t, std::map<size_t, int64_t>> issued_;  // by routine: by run
  std::set<size_t> unknown_;                            // routines that something else calls
  std::unordered_map<size_t, int64_t> divergences_;
};

}  // namespace

std::unordered_map<size_t, int64_t> count_rare_calls(SassGraph& graph,
                                                     std::span<const SassInstruction> code,
                                                     const PtxCounts& ptx) {
  return RareRoutines(graph, code, ptx).count();
}

}  // namespace ridge::observe
