// Counts the memory accesses of a launch per instruction, by the definitions of warp_model. This
// observer is on the machine's hot path: a uniform or strided access takes a handful of additions,
// and nothing is allocated.
#pragma once

#include <memory>
#include <vector>

#include "trace/launch_report.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/counts/sass/rare_operands.h"
#include "virtual_gpu/observe/counts/sass/unrolled_loops.h"
#include "virtual_gpu/observe/counts/shared_merging.h"
#include "virtual_gpu/observe/counts/spills.h"
#include "warp_model/sass.h"
#include "warp_model/shared_memory/shared_access.h"

namespace ridge::observe {

// The counts of one instruction in one address space.
struct alignas(64) SpaceCounts {
  uint64_t requests = 0, lanes = 0, bytes = 0;
  uint64_t whole_warps = 0;  // requests of all 32 lanes
  uint64_t sectors = 0, ideal_sectors = 0, tags = 0;        // global, local
  uint64_t wavefronts = 0, ideal_wavefronts = 0;            // shared, constant
  uint64_t sass_wavefronts = 0, sass_ideal_wavefronts = 0;  // shared, for the GPU's instructions
  // Shared atomics that the GPU performs in a loop: iterations, and the cost of the loads.
  uint64_t attempts = 0, loop_load_wavefronts = 0;
  uint64_t failed_attempts = 0;  // in which other warps changed all the words
  void add(const SpaceCounts& other, uint64_t times = 1);
};

// The totals of one launch. Totals of host threads are added at the end, so results do not depend
// on their number.
struct LaunchCounts {
  static constexpr uint32_t kSpaces = 4;  // global, shared, local, constant
  static constexpr uint32_t kGlobalSpace = 0, kSharedSpace = 1;
  explicit LaunchCounts(size_t instructions = 0);
  void add(const LaunchCounts& other);

  std::vector<SpaceCounts> by_space;       // [instruction][space]
  std::vector<machine::AccessKind> kinds;  // [instruction]
  std::vector<int64_t>
      executions_change;  // [instruction + 1]: executions here less those of the instruction before
  std::vector<uint64_t> divergences;  // [instruction]: branches that lanes took both ways
  std::vector<RareCalls> rare_calls;  // [instruction]; empty: no instruction has a routine
  std::vector<UnrolledLoop> loops;    // that the SASS unrolls
  bool loops_are_mixed = false;       // turns of different blocks could not be told apart
  uint64_t warp_instructions = 0, thread_instructions = 0, barriers = 0, divergent_branches = 0;
  uint64_t copy_groups = 0, instructions_behind_copies = 0;  // trace::LaunchReport
};

using SassCode = std::vector<warp_model::SassInstruction>;

class LaunchCounter : public machine::ObserverFactory {
 public:
  // `code`: the kernel's SASS, or nullptr; `warps`: of the whole grid.
  explicit LaunchCounter(const SassCode* code = nullptr, uint64_t warps = 0) : code_(code), warps_(warps) {}
  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;

  // Called after the launch: the totals and the instructions that accessed memory, in program
  // order. An instruction that accessed two spaces through generic addresses has a row for each.
  // The runtime fills in the rest of the report. Parameters (ld.param) are constants of the launch,
  // not memory traffic, and are omitted. `spills`: if not nullptr, receives the spills of ptxas.
  trace::LaunchReport report(SpillsBehind* spills = nullptr) const;

 private:
  void report_sass(trace::LaunchReport& report, const std::vector<uint64_t>& executions,
                   SpillsBehind* spills) const;

  const SassCode* code_;
  uint64_t warps_;
  const machine::Program* program_ = nullptr;
  std::vector<warp_model::SharedAccess> served_;  // how shared memory serves each instruction
  std::vector<SharedForm> forms_;                 // by instruction; empty: not known
  std::vector<RoundedForm> rounded_;              // by instruction; empty: none has a routine
  std::vector<UnrolledLoop> loops_;               // that the SASS unrolls
  LaunchCounts total_;
};

}  // namespace ridge::observe
