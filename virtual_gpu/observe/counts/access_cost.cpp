#include "virtual_gpu/observe/counts/access_cost.h"

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "warp_model/access.h"
#include "warp_model/async_copy.h"
#include "warp_model/strided_access.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessShape;
using machine::AccessSpace;
using warp_model::SharedAccess;

warp_model::GlobalCost global_cost(const Access& access) {
  if (access.lands_at != nullptr) {
    uint64_t addresses[32];
    machine::fill_addresses(access, addresses);
    return warp_model::async_copy_cost(addresses, access.lands_at, access.mask, access.bytes);
  }
  switch (access.shape) {
    case AccessShape::uniform:
      return warp_model::global_cost_uniform(access.base, access.bytes, access.mask);
    case AccessShape::strided:
      return warp_model::global_cost_strided(access.base, access.stride, access.bytes, access.mask);
    case AccessShape::scattered:
      break;
  }
  return warp_model::global_cost(access.addresses, access.mask, access.bytes);
}

warp_model::SharedCost shared_cost(const Access& access, SharedAccess served) {
  if (access.shape == AccessShape::scattered)
    return warp_model::shared_cost_of(served, access.addresses, access.mask, access.bytes);
  const int64_t stride = access.shape == AccessShape::uniform ? 0 : access.stride;
  if (served == SharedAccess::load)
    return warp_model::shared_load_cost_strided(access.base, stride, access.bytes, access.mask);
  if (served == SharedAccess::store || served == SharedAccess::atomic_increment)
    return warp_model::shared_cost_strided(access.base, stride, access.bytes, access.mask);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::shared_cost_of(served, addresses, access.mask, access.bytes);
}

// The cost of the SASS instruction that ptxas made of it.
warp_model::SharedCost sass_cost(const Access& access, SharedAccess served,
                                 const SharedForm& form) {
  Access made = access;
  if (form.uses_one_lane && access.shape == AccessShape::uniform)
    made.mask = access.mask & (0 - access.mask);
  made.bytes = form.bytes;
  made.base += static_cast<uint64_t>(int64_t{form.shift});
  uint64_t addresses[32];
  if (access.shape == AccessShape::scattered && form.shift != 0) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      addresses[lane] = access.addresses[lane] + static_cast<uint64_t>(int64_t{form.shift});
    made.addresses = addresses;
  }
  return shared_cost(made, served);
}

// Local and constant accesses are nearly always uniform; the others may be slow.
warp_model::GlobalCost local_cost(const Access& access) {
  if (access.shape == AccessShape::uniform)
    return warp_model::local_cost_uniform(access.base, access.bytes, access.mask);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::local_cost(addresses, access.mask, access.bytes);
}

uint32_t constant_wavefronts(const Access& access) {
  if (access.shape == AccessShape::uniform)
    return warp_model::constant_wavefronts_uniform(access.base, access.bytes);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::constant_wavefronts(addresses, access.mask, access.bytes);
}

void add_global(SpaceCounts& counts, const warp_model::GlobalCost& cost) {
  counts.requests += cost.requests;
  counts.bytes += cost.bytes;
  counts.sectors += cost.sectors;
  counts.ideal_sectors += cost.ideal_sectors;
  counts.tags += cost.tags;
}

}  // namespace

// For a uniform address the warp may add up its values and let one lane do the atomic; without
// the SASS this is assumed.
warp_model::GlobalCost AccessCost::atomic_cost(const Access& access) const {
  if (access.shape == AccessShape::uniform &&
      (forms_.empty() || forms_[access.instruction].uses_one_lane)) {
    return global_cost(access);
  }
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  return warp_model::global_atomic_cost(addresses, access.mask, access.bytes);
}

void AccessCost::add_shared(const Access& access, SpaceCounts& counts) const {
  // Bulk reductions perform atomics without a PTX atomic instruction.
  const SharedAccess of_text = served_[access.instruction];
  const SharedAccess served =
      is_atomic(access) && of_text < SharedAccess::atomic ? SharedAccess::atomic : of_text;
  const warp_model::SharedCost cost = shared_cost(access, served);
  counts.requests += cost.requests;
  counts.bytes += cost.bytes;
  counts.wavefronts += cost.wavefronts;
  counts.ideal_wavefronts += cost.ideal_wavefronts;
  if (served == SharedAccess::atomic_loop) {
    uint64_t addresses[32];
    machine::fill_addresses(access, addresses);
    const warp_model::AtomicLoopCost loop =
        warp_model::atomic_loop_cost(addresses, access.mask, access.bytes);
    counts.attempts += loop.attempts;
    counts.loop_load_wavefronts += loop.load_wavefronts;
  }
  if (forms_.empty()) return;
  const SharedForm& form = forms_[access.instruction];
  if (form.bytes == 0) return;
  const bool is_same =
      form.bytes == SharedForm::kAsInPtx || (form.bytes == access.bytes && !form.uses_one_lane);
  const warp_model::SharedCost made = is_same ? cost : sass_cost(access, served, form);
  counts.sass_wavefronts += made.wavefronts;
  counts.sass_ideal_wavefronts += made.ideal_wavefronts;
}

void AccessCost::add(const Access& access, SpaceCounts& counts) const {
  counts.lanes += warp_model::active_lanes(access.mask);
  counts.whole_warps += access.mask == machine::kAllLanes;
  switch (access.space) {
    case AccessSpace::global:
      return add_global(counts, is_atomic(access) ? atomic_cost(access) : global_cost(access));
    case AccessSpace::local:
      return add_global(counts, local_cost(access));
    case AccessSpace::shared:
      return add_shared(access, counts);
    case AccessSpace::constant:
      ++counts.requests;
      counts.bytes += warp_model::active_lanes(access.mask) * access.bytes;
      counts.wavefronts += constant_wavefronts(access);
      counts.ideal_wavefronts += (access.bytes + 3) / 4;
      return;
    case AccessSpace::param:
      return;
  }
}

void add_bulk_access(const machine::BulkAccess& bulk, SpaceCounts& counts) {
  ++counts.requests;
  ++counts.lanes;
  uint64_t bytes = 0;
  for (const machine::BulkAccess::Run& run : bulk.runs) {
    if (run.bytes == 0) continue;
    const uint64_t end = run.begin + run.bytes;
    counts.sectors += (end + warp_model::kSectorBytes - 1) / warp_model::kSectorBytes -
                      run.begin / warp_model::kSectorBytes;
    counts.tags += (end + warp_model::kLineBytes - 1) / warp_model::kLineBytes -
                   run.begin / warp_model::kLineBytes;
    bytes += run.bytes;
  }
  counts.bytes += bytes;
  counts.ideal_sectors += (bytes + warp_model::kSectorBytes - 1) / warp_model::kSectorBytes;
}

}  // namespace ridge::observe
