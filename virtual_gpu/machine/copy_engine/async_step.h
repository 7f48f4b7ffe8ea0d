// The steps of asynchronous work (cp.async, bulk copies, wgmma) for traces: lanes issue work,
// commit a group, begin to wait, and continue; and the fences that order it. Observer::released()
// and acquired() report how it orders accesses.
#pragma once

#include "virtual_gpu/machine/observer.h"

namespace ridge::machine {

struct AsyncStep {
  enum class Kind : uint8_t { issue, commit, arrive, wait, waited, fence } kind = Kind::issue;
  uint64_t block = 0;
  uint32_t warp = 0, mask = 0, instruction = 0;
  uint64_t bytes = 0;  // issue: number of bytes that will move; 0: unknown
  // mbarrier: the object that is signalled (bulk copies); bulk_group: a warp's groups, see
  // groups_of(); cluster_barrier.
  SyncPlace place = {};
  bool is_empty = false;  // commit: the group of cp.async or wgmma has no copy and no product
  bool drains = false;    // waited: wgmma were in flight, and none is now
};

// A warp's groups of cp.async, of bulk copies and of wgmma. Phase: of a commit, the group's number; of
// a wait, the number of groups that are complete after it.
enum class Groups : uint64_t { copies = 0, bulk = 32, products = 64 };
inline SyncPlace groups_of(Groups of, uint64_t block, uint32_t warp, uint64_t phase) {
  return {SyncPlace::Kind::bulk_group, block, static_cast<uint64_t>(of) + warp, phase};
}

inline void notify_step(Observer* observer, const AsyncStep& step) {
  if (observer != nullptr) observer->async_step(step);
}

}  // namespace ridge::machine
