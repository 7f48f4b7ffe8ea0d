// Counts the memory accesses of a launch per instruction, by the definitions of warp_model. This
// observer is on the machine's hot path: a uniform or strided access takes a handful of additions,
// and nothing is allocated.
#pragma once

#include <memory>
#include <vector>

#include "trace/launch_report.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/counts/launch_counts.h"
#include "virtual_gpu/observe/counts/sass/rare_operands.h"
#include "virtual_gpu/observe/counts/sass/shared_merging.h"
#include "virtual_gpu/observe/counts/sass/spills.h"
#include "virtual_gpu/observe/counts/sass/unrolled_loops.h"
#include "warp_model/sass.h"
#include "warp_model/shared_memory/shared_access.h"

namespace ridge::observe {

using SassCode = std::vector<warp_model::SassInstruction>;

class LaunchCounter : public machine::ObserverFactory {
 public:
  // `code`: the kernel's SASS, or nullptr; `warps`: of the whole grid.
  explicit LaunchCounter(const SassCode* code = nullptr, uint64_t warps = 0)
      : code_(code), warps_(warps) {}
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
