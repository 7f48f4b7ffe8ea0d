// Pending bulk copies: what cp.async.bulk and related instructions requested from the copy engine and has not
// been done yet. They are done late on purpose, so that a missing wait shows:
//   - a copy that completes on an mbarrier moves its bytes when that mbarrier is asked and has not completed,
//     or when its block has nothing else to do;
//   - a copy of a bulk group reads its source when the thread waits for the group (with or without .read)
//     and writes at the wait without .read; at the latest when the block ends.
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
  bool was_read = false;  // store: the source is in `staged`
  bool was_written = false;
  bool has_source = true;  // load: of the copies of a multicast one says that their source is read, once
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
  uint8_t lane = 0;  // that issued it
  uint32_t warp = 0, instruction = 0, group = 0;
  uint64_t issuer = 0;                  // linear index of the block that issued it
  Block* source_block = nullptr;        // store, between shared memories: whose shared memory is read
  uint32_t source = 0;                  // ... and where
  uint32_t destination = 0;             // load, between shared memories: in the block that holds this entry
  uint32_t mbarrier = 0;                // in the same block
  uint64_t phase = 0;                   // of the mbarrier when the copy was started
  uint64_t global = 0;                  // not a tensor: the address
  uint32_t bytes = 0;                   // moved, filled elements included
  std::shared_ptr<TensorBox> box;       // a tensor
  std::shared_ptr<std::byte[]> staged;  // the bytes, a box in its plain order
};

// The thread's group that a store belongs to, as observers know it.
SyncPlace group_place(const BulkCopy& copy);

// What a block has under way.
struct BulkQueue {
  std::vector<BulkCopy> arriving;   // in shared memory of this block, each with its mbarrier, as issued
  std::vector<BulkCopy> leaving;    // of the bulk groups of this block's threads, as issued
  std::vector<uint32_t> committed;  // bulk groups closed, by thread; empty until the first
  uint64_t staged_bytes = 0;

  void clear() {
    arriving.clear();
    leaving.clear();
    committed.clear();
    staged_bytes = 0;
  }
};

}  // namespace ridge::machine
