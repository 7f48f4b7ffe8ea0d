// The texts of findings on blocks of a cluster, and on mbarriers.
#pragma once

#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/races/cluster_shadow.h"
#include "virtual_gpu/observe/races/mbarrier_starts.h"

namespace ridge::observe {

[[noreturn]] void report_cluster_race(const CheckedLaunch& launch, const machine::Access& access,
                                      const ClusterRace& race);
// The instruction of `access` starts a copy into another block's shared memory.
[[noreturn]] void report_cluster_copy(const CheckedLaunch& launch, const machine::BulkAccess& access,
                                      const ClusterRace& race);
// The block of `side` has ended, and `peer` may still access its shared memory.
[[noreturn]] void report_early_end(const CheckedLaunch& launch, const ClusterSide& side,
                                   const ClusterSide::Peer& peer);

struct MbarrierUse {
  uint64_t block = 0, owner = 0, offset = 0;
  uint32_t instruction = 0, warp = 0, lane = 0;
};
// A thread uses an mbarrier without being ordered after its initialisation.
[[noreturn]] void report_early_mbarrier(const CheckedLaunch& launch, const MbarrierUse& use,
                                        const MbarrierStart& start);

// A copy, or another block, uses an mbarrier whose initialisation was not made visible to it.
[[noreturn]] void report_unfenced_mbarrier(const CheckedLaunch& launch, const MbarrierUse& use,
                                           const MbarrierStart& start, bool by_copy);

}  // namespace ridge::observe
