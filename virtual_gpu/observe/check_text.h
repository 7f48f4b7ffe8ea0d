// The texts of the checks' findings.
#pragma once

#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/races/global_shadow.h"
#include "virtual_gpu/observe/copies/product_reads.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"
#include "virtual_gpu/observe/uninitialised/undefined_lanes.h"

namespace ridge::observe {

[[noreturn]] void report_shared_race(const CheckedLaunch& launch, const machine::Access& access,
                                     const SharedRace& race);
// copy_text.cpp: an access conflicts with a copy in flight.
[[noreturn]] void report_copy_conflict(const CheckedLaunch& launch, const machine::Access& access,
                                  const SharedRace& race);
// The same for reads by TMA or the tensor cores.
[[noreturn]] void report_unit_copy_conflict(const CheckedLaunch& launch, const machine::BulkAccess& access,
                                         const SharedRace& race);
// The instruction starts a copy that may write data which another thread may still use; with kind
// load: that may read data which another thread may still write.
[[noreturn]] void report_early_copy(const CheckedLaunch& launch, uint32_t instruction, const SharedRace& race,
                                    machine::AccessKind kind = machine::AccessKind::store);
// A block exits while a copy still reads its shared memory, or still fills it.
[[noreturn]] void report_copy_at_exit(const CheckedLaunch& launch, const machine::BulkAccess& access);
// A lane of `block` has started a copy to a place where another copy, which is still in flight,
// writes other bytes.
[[noreturn]] void report_landed_clash(const CheckedLaunch& launch, uint32_t instruction, uint32_t warp,
                                      const machine::CopyClash& clash, uint32_t landed_site);
[[noreturn]] void report_copy_clash(const CheckedLaunch& launch, uint64_t block, uint32_t instruction,
                                    uint32_t warp, const machine::CopyClash& clash);
// A copy, a store or an atomic may write data that wgmma still reads. `was_filled`: the data had
// been written before the wgmma.
[[noreturn]] void report_overwritten_product(const CheckedLaunch& launch, uint32_t instruction, uint32_t warp,
                                             uint32_t lane, uint64_t offset, const ProductRead& read,
                                             bool was_filled);
machine::ObservedFault global_race_fault(const CheckedLaunch& launch, const GlobalRace& race);
// An atomic on uninitialised bytes.
[[noreturn]] void report_undefined_update(const CheckedLaunch& launch, const machine::Access& access,
                                          const UndefinedLanes& undefined);
// TMA or a tensor core reads data that a thread wrote, without a proxy fence in between.
[[noreturn]] void report_missing_proxy_fence(const CheckedLaunch& launch, const machine::BulkAccess& access,
                                             Cell writer, uint64_t offset);

// The kernel's line: "tile.cu:12", or "" when the site is unknown.
std::string site_text(const CheckedLaunch& launch, uint32_t site);
// "block (3,0,0)", from the linear index.
std::string block_text(const CheckedLaunch& launch, uint64_t block);
// "thread (3,0,0)", from the linear index in the block.
std::string thread_text(const CheckedLaunch& launch, uint32_t thread);

}  // namespace ridge::observe
