// Pending bulk copies: issued by cp.async.bulk and its variants, and not executed yet. They are
// executed late on purpose, so that a missing wait is visible:
//   - a copy that completes on an mbarrier moves its bytes when that mbarrier is tested and its phase
//     is not complete, or when its block has nothing else to do;
//   - a copy of a bulk group reads its source when the thread waits for the group (with or without
//     .read) and writes at the wait without .read, at the latest when the block ends.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/machine/copy_engine/tensor_box.h"

namespace ridge::machine {

struct Block;

struct BulkCopy {
  BulkDirection direction = BulkDirection::load;
  bool reduces = false;
  bool was_read = false;  // store: the source has been copied to `staged`
  bool was_written = false;
  bool has_source = true;  // load: one copy of a multicast reports that the source is read
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
  uint8_t lane = 0;  // the issuing lane
  uint32_t warp = 0, instruction = 0, group = 0;
  uint64_t issuer = 0;                  // linear index of the issuing block
  Block* source_block = nullptr;        // store, between shared memories: owner of the source
  uint32_t source = 0;                  // ... and its offset
  // Load, between shared memories: offset in the block of this entry.
  uint32_t destination = 0;
  uint32_t mbarrier = 0;                // offset in the same block
  uint64_t phase = 0;                   // of the mbarrier when the copy was started
  uint64_t global = 0;                  // address, unless it is a tensor
  uint32_t bytes = 0;                   // moved bytes, including filled elements
  std::shared_ptr<TensorBox> box;       // for a tensor
  std::shared_ptr<std::byte[]> staged;  // the bytes, for a box in unswizzled order
};

// The thread's group of a store, for observers.
SyncPlace group_place(const BulkCopy& copy);

// The copies in flight of a block.
struct BulkQueue {
  // To this block's shared memory, each with its mbarrier, in order of issue.
  std::vector<BulkCopy> arriving;
  std::vector<BulkCopy> leaving;    // of the bulk groups of this block's threads, in order of issue
  // Number of committed bulk groups by thread; empty until the first.
  std::vector<uint32_t> committed;
  uint64_t staged_bytes = 0;

  void clear() {
    arriving.clear();
    leaving.clear();
    committed.clear();
    staged_bytes = 0;
  }
};

}  // namespace ridge::machine
