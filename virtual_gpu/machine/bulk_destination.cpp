// Where a copy to shared memory arrives, and what its mbarrier hears.
#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

void Core::issue_to_blocks(const BulkOp&, BulkCopy&& copy, uint64_t destination, uint64_t mbarrier, int) {
  copy.destination = static_cast<uint32_t>(destination & kSharedOffsetMask);
  copy.mbarrier = static_cast<uint32_t>(mbarrier & kSharedOffsetMask);
  block_->bulk.arriving.push_back(std::move(copy));
}

void Core::complete_bytes(Block&, const BulkCopy&) {}

}  // namespace ridge::machine
