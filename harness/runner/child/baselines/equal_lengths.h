// What a ragged batch is compared with: as many operations on sequences of equal length.
#pragma once

#include <vector>

#include "harness/runner/child/baseline.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

// An attention of heads of 8192 queries and keys (fewer if that makes less than 64 heads), in
// memory of its own. `work` has the sizes of the problem "attention".
struct EqualLengths {
  Work work;
  std::vector<DeviceMemory> memory;  // q, k, v, out
  Slot slot;
};

// The operations are those of `ragged`, a work of the problem "varlen_attention", up to half a
// head. The inputs are filled with copies of those of `trial`.
EqualLengths with_equal_lengths(const Work& ragged, const Slot& trial);

}  // namespace ridge::runner
