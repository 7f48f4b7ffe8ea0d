// What one access of a warp costs, by the definitions of warp_model, added to the counts of its
// instruction in its address space.
#pragma once

#include <vector>

#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/counts/launch_counts.h"
#include "virtual_gpu/observe/counts/sass/shared_merging.h"
#include "warp_model/shared_memory/shared_access.h"

namespace ridge::observe {

// Both vectors are by instruction and must outlive this object.
class AccessCost {
 public:
  // `forms`: empty when the kernel's SASS is not known.
  AccessCost(const std::vector<warp_model::SharedAccess>& served,
             const std::vector<SharedForm>& forms)
      : served_(served), forms_(forms) {}
  // `access` is not to parameter space: those accesses cost nothing here.
  void add(const machine::Access& access, SpaceCounts& counts) const;
  // True for an atomic that the GPU's SASS performs in a loop of load and compare-and-swap.
  bool is_atomic_loop(const machine::Access& access) const {
    return access.space == machine::AccessSpace::shared &&
           served_[access.instruction] == warp_model::SharedAccess::atomic_loop &&
           is_atomic(access) && !forms_.empty();
  }

 private:
  static bool is_atomic(const machine::Access& access) {
    return access.kind == machine::AccessKind::atomic ||
           access.kind == machine::AccessKind::reduction;
  }
  void add_shared(const machine::Access& access, SpaceCounts& counts) const;
  warp_model::GlobalCost atomic_cost(const machine::Access& access) const;

  const std::vector<warp_model::SharedAccess>& served_;
  const std::vector<SharedForm>& forms_;
};

// Bulk copies and copies of boxes (TMA): one request of one thread.
void add_bulk_access(const machine::BulkAccess& bulk, SpaceCounts& counts);

}  // namespace ridge::observe
