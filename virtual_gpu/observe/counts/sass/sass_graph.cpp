#include "virtual_gpu/observe/counts/sass/sass_graph.h"

#include <algorithm>
#include <set>

namespace ridge::observe {

using warp_model::SassFlow;
using warp_model::SassInstruction;

SassGraph::SassGraph(std::span<const SassInstruction> code) : code_(code) {
  cut_into_runs();
  connect();
  find_reachable();
}

size_t SassGraph::index_of(uint32_t address) const {
  const size_t k = address / warp_model::kSassBytes;
  return k < code_.size() ? k : kNowhere;
}

bool SassGraph::loops(size_t run) const {
  return std::any_of(runs[run].out.begin(), runs[run].out.end(),
                     [&](size_t edge) { return edges[edge].to == run; });
}

// The first instruction of the called function if it is in the same code.
size_t SassGraph::called_by(const SassInstruction& i) const {
  return i.flow == SassFlow::call && i.target != 0 ? index_of(i.target) : kNowhere;
}

void SassGraph::cut_into_runs() {
  std::set<size_t> leaders{0};
  for (size_t k = 0; k < code_.size(); ++k) {
    const SassInstruction& i = code_[k];
    if (const size_t called = called_by(i); called != kNowhere) leaders.insert(called);
    if (i.flow == SassFlow::straight || i.flow == SassFlow::call) continue;
    if (i.flow == SassFlow::branch || i.flow == SassFlow::converge) {
      if (const size_t target = index_of(i.target); target != kNowhere) leaders.insert(target);
    }
    if (i.flow != SassFlow::converge && k + 1 < code_.size()) leaders.insert(k + 1);
  }
  for (const size_t leader : leaders) {
    if (!runs.empty()) runs.back().last = leader;
    run_at_[leader] = runs.size();
    runs.push_back({leader, code_.size(), {}, {}, {}, false});
  }
}

void SassGraph::add_edge(size_t from, size_t to_instruction) {
  const auto to = run_at_.find(to_instruction);
  if (to == run_at_.end()) return;
  runs[from].out.push_back(edges.size());
  runs[to->second].in.push_back(edges.size());
  edges.push_back({from, to->second, {}});
}

void SassGraph::add_call(size_t from, size_t to_instruction) {
  const auto to = run_at_.find(to_instruction);
  if (to == run_at_.end()) return;
  calls.push_back(edges.size());
  runs[to->second].in.push_back(edges.size());
  edges.push_back({from, to->second, {}});
}

void SassGraph::connect() {
  for (size_t r = 0; r < runs.size(); ++r) {
    for (size_t k = runs[r].first; k < runs[r].last; ++k)
      add_call(r, called_by(code_[k]));
    const SassInstruction& last = code_[runs[r].last - 1];
    const bool ends = (last.flow == SassFlow::exit || last.flow == SassFlow::other ||
                       last.flow == SassFlow::branch) &&
                      !last.guarded;
    if (!ends) add_edge(r, runs[r].last);
    if (last.flow == SassFlow::branch) add_edge(r, index_of(last.target));
  }
}

void SassGraph::find_reachable() {
  std::vector<size_t> stack{0};
  while (!stack.empty()) {
    Run& here = runs[stack.back()];
    stack.pop_back();
    if (here.is_reachable) continue;
    here.is_reachable = true;
    for (const size_t edge : here.out)
      stack.push_back(edges[edge].to);
    for (const size_t edge : calls)
      if (&runs[edges[edge].from] == &here) stack.push_back(edges[edge].to);
  }
  for (Run& here : runs)
    if (!here.is_reachable) here.count = 0;
  for (Edge& edge : edges)
    if (!runs[edge.from].is_reachable) edge.count = 0;
}

}  // namespace ridge::observe
