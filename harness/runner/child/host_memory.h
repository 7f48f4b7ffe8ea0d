// Host buffers with guard bands, for functions that get host memory.
#pragma once

#include <vector>

#include "harness/runner/messages.h"
#include "harness/runner/shared_memory.h"

namespace ridge::runner {

// The buffers of one call: guard, data, guard in one allocation each. Page-locked memory is what a
// copy without a wait (cudaMemcpyAsync) needs to go on after the call has returned; a kernel cannot
// use the other kind.
class HostBufferSet {
 public:
  HostBufferSet(std::vector<BufferPlan> plans, bool page_locked, const SharedMemory& memory);
  ~HostBufferSet();
  HostBufferSet(const HostBufferSet&) = delete;
  HostBufferSet& operator=(const HostBufferSet&) = delete;
  void copy_back(const SharedMemory& memory) const;
  const std::vector<void*>& pointers() const { return pointers_; }
  bool is_page_locked() const { return page_locked_; }
  // True when the address is in the data of a buffer that the function writes.
  bool is_output(uint64_t address) const;

 private:
  std::vector<BufferPlan> plans_;
  bool page_locked_;
  std::vector<std::byte*> starts_;
  std::vector<void*> pointers_;
};

}  // namespace ridge::runner
