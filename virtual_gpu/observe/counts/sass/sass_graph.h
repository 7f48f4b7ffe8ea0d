// The control-flow graph of a kernel's SASS: basic blocks (runs) and edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "warp_model/sass.h"

namespace ridge::observe {

class SassGraph {
 public:
  using Count = std::optional<int64_t>;  // of warp-level executions; empty: unknown
  static constexpr size_t kNowhere = ~size_t{0};

  // From the end of a run to the beginning of another, or from a call in it to a function in the
  // same code.
  struct Edge {
    size_t from = 0, to = 0;  // runs
    Count count;
  };

  // All instructions of a run are issued equally often.
  struct Run {
    size_t first = 0, last = 0;  // instructions, the last one excluded
    std::vector<size_t> in,
        out;  // edges; a call goes in, but not out: what called goes on by itself
    Count count;
    bool is_reachable = false;
  };

  // Code that the first instruction cannot reach has count 0; all other counts are unknown.
  explicit SassGraph(std::span<const warp_model::SassInstruction> code);

  // The instruction at a byte address, or kNowhere when it is outside the code.
  size_t index_of(uint32_t address) const;
  // True when a run has an edge to itself.
  bool loops(size_t run) const;

  std::vector<Run> runs;  // in code order; a warp begins with the first
  std::vector<Edge> edges;
  std::vector<size_t> calls;  // the edges that are calls

 private:
  size_t called_by(const warp_model::SassInstruction& i) const;
  void cut_into_runs();
  void connect();
  void add_edge(size_t from, size_t to_instruction);
  void add_call(size_t from, size_t to_instruction);
  void find_reachable();

  std::span<const warp_model::SassInstruction> code_;
  std::map<size_t, size_t> run_at_;  // by first instruction
};

}  // namespace ridge::observe
