#include "virtual_gpu/observe/counts/sass/unrolled_loops.h"

#include <algorithm>
#include <map>
#include <set>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/observe/counts/sass/sass_counterparts.h"
#include "virtual_gpu/observe/counts/sass/sass_graph.h"

namespace ridge::observe {
namespace {

using warp_model::SassClass;
using warp_model::SassInstruction;

using CopiesByRun = std::map<size_t, int64_t>;

// By PTX line: how many counterparts without a guard each run has.
std::map<uint32_t, CopiesByRun> count_copies(const machine::Program& program,
                                             const std::vector<SassInstruction>& code,
                                             const SassGraph& graph) {
  std::map<uint32_t, SassClass> wanted;
  for (const machine::InstructionSource& source : machine::sources(program))
    wanted[source.ptx_line] = counterpart_of(source.text);
  std::map<uint32_t, CopiesByRun> copies;
  for (size_t r = 0; r < graph.runs.size(); ++r) {
    for (size_t k = graph.runs[r].first; graph.runs[r].is_reachable && k < graph.runs[r].last;
         ++k) {
      const auto line = wanted.find(code[k].ptx_line);
      if (line != wanted.end() && line->second != SassClass::other &&
          line->second == code[k].sass_class && !code[k].guarded)
        ++copies[code[k].ptx_line][r];
    }
  }
  return copies;
}

// The stages of one line, or none: the largest first, each of another size, the last one of a single copy.
std::vector<UnrolledStage> stages_of(const CopiesByRun& copies, const SassGraph& graph) {
  std::vector<UnrolledStage> stages;
  for (const auto& [run, count] : copies)
    stages.push_back({count, graph.loops(run)});
  std::sort(stages.begin(), stages.end(),
            [](const auto& a, const auto& b) { return a.copies > b.copies; });
  for (size_t k = 1; k < stages.size(); ++k)
    if (stages[k].copies == stages[k - 1].copies) return {};
  if (stages.size() < 2 || stages.back().copies != 1) return {};
  return stages;
}

bool is_same(const std::vector<UnrolledStage>& a, const std::vector<UnrolledStage>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.copies == y.copies && x.loops == y.loops;
  });
}

// The stages that most lines of the loop agree on.
std::vector<UnrolledStage> stages_of_loop(const UnrolledLoop& loop, const machine::Program& program,
                                          const std::map<uint32_t, CopiesByRun>& copies,
                                          const SassGraph& graph) {
  std::vector<std::pair<std::vector<UnrolledStage>, int>> votes;
  for (uint32_t k = loop.first; k <= loop.last; ++k) {
    const auto line = copies.find(machine::sources(program)[k].ptx_line);
    if (line == copies.end()) continue;
    std::vector<UnrolledStage> stages = stages_of(line->second, graph);
    if (stages.empty()) continue;
    const auto known = std::find_if(votes.begin(), votes.end(),
                                    [&](const auto& vote) { return is_same(vote.first, stages); });
    if (known == votes.end())
      votes.emplace_back(std::move(stages), 1);
    else
      ++known->second;
  }
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? std::vector<UnrolledStage>{} : most->first;
}

}  // namespace

void UnrolledLoop::add_entry(const std::array<uint32_t, 32>& iterations) {
  std::array<uint32_t, 32> left = iterations;
  for (UnrolledStage& stage : stages) {
    const auto copies = static_cast<uint32_t>(stage.copies);
    std::set<uint32_t> times_made;
    bool any_around = false;
    for (size_t lane = 0; lane < left.size(); ++lane) {
      if (iterations[lane] == 0) continue;
      const uint32_t times = stage.loops ? left[lane] / copies : std::min(1u, left[lane] / copies);
      left[lane] -= times * copies;
      if (times == 0)
        any_around = true;
      else
        times_made.insert(times);
    }
    if (times_made.empty()) continue;
    stage.issued += *times_made.rbegin();
    stage.again += *times_made.rbegin() - 1;
    stage.mixed += any_around;
    stage.parted += times_made.size() - 1;
  }
}

void UnrolledLoop::add(const UnrolledLoop& other) {
  for (size_t k = 0; k < stages.size(); ++k) {
    stages[k].issued += other.stages[k].issued;
    stages[k].again += other.stages[k].again;
    stages[k].mixed += other.stages[k].mixed;
    stages[k].parted += other.stages[k].parted;
  }
}

std::vector<UnrolledLoop> find_unrolled_loops(const machine::Program& program,
                                              const std::vector<SassInstruction>& code) {
  std::vector<UnrolledLoop> loops;
  for (uint32_t k = 0; k < program.ops.size(); ++k) {
    const machine::MicroOp& op = program.ops[k];
    if (op.kind != machine::OpKind::branch || (op.flags & machine::kBackEdge) == 0 || op.target > k)
      continue;
    // Back edges come in the order of their ends: what an earlier one encloses lies inside.
    const bool is_outer = std::any_of(loops.begin(), loops.end(), [&](const UnrolledLoop& inner) {
      return inner.last >= op.target;
    });
    if (is_outer)
      std::erase_if(loops, [&](const UnrolledLoop& one) { return one.first == op.target; });
    else
      loops.push_back({op.target, k, {}});
  }
  if (loops.empty() || code.empty()) return {};
  const SassGraph graph(code);
  const auto copies = count_copies(program, code, graph);
  for (UnrolledLoop& loop : loops)
    loop.stages = stages_of_loop(loop, program, copies, graph);
  std::erase_if(loops, [](const UnrolledLoop& loop) { return loop.stages.empty(); });
  return loops;
}

}  // namespace ridge::observe
