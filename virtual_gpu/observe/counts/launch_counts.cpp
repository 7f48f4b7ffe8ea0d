#include "virtual_gpu/observe/counts/launch_counts.h"

#include <algorithm>

namespace ridge::observe {

void SpaceCounts::add(const SpaceCounts& other, uint64_t times) {
  requests += other.requests * times;
  lanes += other.lanes * times;
  whole_warps += other.whole_warps * times;
  bytes += other.bytes * times;
  sectors += other.sectors * times;
  ideal_sectors += other.ideal_sectors * times;
  tags += other.tags * times;
  wavefronts += other.wavefronts * times;
  ideal_wavefronts += other.ideal_wavefronts * times;
  sass_wavefronts += other.sass_wavefronts * times;
  sass_ideal_wavefronts += other.sass_ideal_wavefronts * times;
  attempts += other.attempts * times;
  failed_attempts += other.failed_attempts * times;
  loop_load_wavefronts += other.loop_load_wavefronts * times;
}

LaunchCounts::LaunchCounts(size_t instructions)
    : by_space(instructions * kSpaces),
      kinds(instructions * kSpaces),
      executions_change(instructions + 1),
      divergences(instructions) {}

void LaunchCounts::add(const LaunchCounts& other) {
  for (size_t k = 0; k < by_space.size(); ++k)
    by_space[k].add(other.by_space[k]);
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (other.kinds[k] != machine::AccessKind::load)
      kinds[k] = other.kinds[k];  // a thread that never executed it has the default, load
  }
  for (size_t k = 0; k < divergences.size(); ++k) {
    executions_change[k] += other.executions_change[k];
    divergences[k] += other.divergences[k];
  }
  rare_calls.resize(std::max(rare_calls.size(), other.rare_calls.size()));
  for (size_t k = 0; k < other.rare_calls.size(); ++k)
    rare_calls[k].add(other.rare_calls[k]);
  if (loops.empty())
    loops = other.loops;
  else
    for (size_t k = 0; k < loops.size(); ++k)
      loops[k].add(other.loops[k]);
  loops_are_mixed |= other.loops_are_mixed;
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  // A block runs on one host thread, so the busiest one is the busiest of a thread.
  busiest_block_instructions = std::max(busiest_block_instructions, other.busiest_block_instructions);
  barriers += other.barriers;
  divergent_branches += other.divergent_branches;
  copy_groups += other.copy_groups;
  wgmma_drains += other.wgmma_drains;
  instructions_behind_copies += other.instructions_behind_copies;
  wgmma_groups += other.wgmma_groups;
  instructions_behind_wgmma += other.instructions_behind_wgmma;
}

}  // namespace ridge::observe
