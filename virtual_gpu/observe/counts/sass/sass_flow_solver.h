// Solves for how often each run of a kernel's SASS was issued. Private to sass_*.cpp.
//
// Every run has a count that is unknown at first. PTX lines with one clear counterpart give some of them
// (sass_witnesses.cpp); what enters a run leaves it (sass_executions.cpp); copies of a line share its executions,
// and what is left is guessed (sass_unrolling.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/observe/counts/sass/sass_executions.h"
#include "virtual_gpu/observe/counts/sass/sass_graph.h"
#include "warp_model/sass.h"

namespace ridge::observe {

class SassFlowSolver {
  using Count = SassGraph::Count;
  using SassInstruction = warp_model::SassInstruction;

 public:
  SassFlowSolver(std::span<const SassInstruction> code, const PtxCounts& ptx, uint64_t warps)
      : code_(code.begin(), code.end()),
        ptx_(ptx),
        warps_(static_cast<int64_t>(warps)),
        graph_(code_),
        runs_(graph_.runs),
        edges_(graph_.edges) {
    label_first_attempts();
    find_convergence();
    find_copies_before_loops();
  }

  std::vector<uint64_t> solve();

 private:
  // sass_witnesses.cpp
  void label_first_attempts();
  const PtxLineCounts* line_of(const SassInstruction& i) const;
  bool is_witness(const SassInstruction& i) const;
  bool is_firm(const SassInstruction& i) const;
  void use_witnesses();
  void leave_out_other_spaces();
  void count_whole_warp_sums();
  void find_copies_before_loops();

  // sass_executions.cpp
  int64_t from_outside(size_t run) const;
  int64_t divergences_of(size_t run) const;
  static bool set(Count& count, int64_t value);
  bool sum_known(const std::vector<size_t>& list, int64_t& sum, size_t& unknown) const;
  bool follow();
  bool close(const SassGraph::Run& run);
  bool follow_entries(size_t r, SassGraph::Run& run);
  bool follow_exits(size_t r, SassGraph::Run& run);
  bool exit_as_in_ptx(SassGraph::Run& run);
  bool branch_as_in_ptx(SassGraph::Run& run, const SassInstruction& last);
  void find_convergence();
  bool follow_convergence(size_t r, SassGraph::Run& run);

  // sass_unrolling.cpp
  bool split_between_copies();
  int64_t entries_of(size_t r) const;
  void use_iterations();
  void place_stages(const UnrolledLoop& loop, const std::map<size_t, int64_t>& by_run);
  size_t guard_before(size_t run) const;
  bool unroll_one();
  Count most_into(size_t r) const;
  bool guess_one();

  std::vector<SassInstruction> code_;
  const PtxCounts& ptx_;
  int64_t warps_;
  SassGraph graph_;
  std::vector<SassGraph::Run>& runs_;
  std::vector<SassGraph::Edge>& edges_;
  std::vector<std::vector<size_t>> converging_;  // by run that ends with BSYNC: runs, once per BSSY
  std::vector<bool> is_copy_before_loop_;        // by run: its last instruction
  std::vector<std::pair<uint32_t, std::map<size_t, int64_t>>> shared_lines_;
  std::map<uint32_t, std::map<size_t, int64_t>> unguarded_;  // copies by line: by run
  std::unordered_map<size_t, int64_t> known_divergences_;    // by run
};

}  // namespace ridge::observe
