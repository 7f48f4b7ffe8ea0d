// Results that kernels computed from bytes that nobody wrote and stored in global memory. A result is
// an error when it is read: copied to the host, or used by a kernel. Padding that is computed and
// never read is none.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/memory/memory.h"

namespace ridge::observe {

struct UndefinedResult {
  machine::Fault fault;  // of the store
  // "was computed at sum.cu line 12 from element 3 of ..., which no thread has written"
  std::string history;
  std::string kernel;
};

// The first such result of each allocation, of a whole process. Its bytes count as not written.
class UndefinedResults {
 public:
  // Keeps the first one of the allocation that contains `address`.
  void add(const machine::DeviceMemory& memory, uint64_t address, UndefinedResult result);
  // The result in the allocation that contains `address`. nullptr: none there, or all bytes of
  // [address, address + bytes) are written, or no kernel's results are followed in that memory.
  std::shared_ptr<const UndefinedResult> find(machine::DeviceMemory& memory, uint64_t address,
                                              uint64_t bytes) const;
  // The same; the result is no longer unread().
  std::shared_ptr<const UndefinedResult> read(machine::DeviceMemory& memory, uint64_t address,
                                              uint64_t bytes);
  // Those that read() has not returned, in the order of the allocations.
  std::vector<std::shared_ptr<const UndefinedResult>> unread() const;

 private:
  struct Entry {
    std::shared_ptr<const UndefinedResult> result;
    bool is_read = false;
  };
  // Needs the lock.
  std::optional<uint32_t> serial_of(machine::DeviceMemory& memory, uint64_t address,
                                    uint64_t bytes) const;

  std::atomic<bool> is_empty_{true};
  mutable std::mutex mutex_;
  std::map<uint32_t, Entry> by_allocation_;  // by serial
};

}  // namespace ridge::observe
