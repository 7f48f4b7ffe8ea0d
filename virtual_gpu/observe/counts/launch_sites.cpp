// Analyses a kernel before it begins: numbers the instructions that access memory, and determines
// whether its threads may synchronise through memory.
#include <algorithm>

#include "virtual_gpu/machine/program/pointer_roots.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/races/shared/shared_cells.h"

namespace ridge::observe {
namespace {

using machine::OpKind;

bool touches_memory(OpKind kind) {
  return kind != OpKind::lane && kind != OpKind::lane_guarded && kind != OpKind::lane_not &&
         kind != OpKind::pack && kind != OpKind::unpack && kind != OpKind::branch &&
         kind != OpKind::load_parameter && kind != OpKind::load_slot && kind != OpKind::store_slot &&
         kind != OpKind::nothing && kind != OpKind::grid_dependency;
}

}  // namespace

void number_sites(CheckedLaunch& launch) {
  const machine::Program& program = *launch.program;
  launch.sites.assign(program.ops.size(), Cell::kUnknownSite);
  launch.site_instructions.clear();
  launch.library_sites.clear();
  const machine::Dim3& cluster = launch.config.cluster;
  launch.has_clusters = cluster.x * cluster.y * cluster.z > 1 || program.info.required_cluster[0] > 1;
  launch.has_fences =
      machine::pointer_roots(program).orders || launch.config.cooperative || launch.has_clusters;
  const auto has_atomics_in = [&](machine::MemorySpace wanted) {
    return std::any_of(program.ops.begin(), program.ops.end(), [&](const machine::MicroOp& op) {
      if (op.kind != OpKind::atomic) return false;
      const machine::MemorySpace space = program.atomics[op.detail].place.space;
      return space == wanted || space == machine::MemorySpace::generic;
    });
  };
  launch.updates_shared = has_atomics_in(machine::MemorySpace::shared);
  launch.updates_global = has_atomics_in(machine::MemorySpace::global);
  // Waits that order nothing by themselves, and knowledge between blocks of a cluster, are not
  // tracked.
  launch.follows_landings =
      !launch.has_clusters && launch.options.race &&
      std::none_of(program.mbarriers.begin(), program.mbarriers.end(),
                   [](const machine::MbarrierOp& op) { return op.ordering == machine::Ordering::relaxed; });
  for (uint32_t pc = 0; pc < program.ops.size(); ++pc) {
    if (!touches_memory(program.ops[pc].kind) || launch.site_instructions.size() >= Cell::kUnknownSite)
      continue;
    launch.sites[pc] = static_cast<uint32_t>(launch.site_instructions.size());
    launch.site_instructions.push_back(pc);
    launch.library_sites.push_back(machine::sources(program)[pc].is_library);
  }
}

}  // namespace ridge::observe
