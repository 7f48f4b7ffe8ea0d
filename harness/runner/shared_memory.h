// Memory that parent and child both map: a memfd that can grow but never shrink, so that the child
// cannot remove pages that the parent uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ridge::runner {

class SharedMemory {
 public:
  SharedMemory();                         // creates one; throws std::system_error
  explicit SharedMemory(int descriptor);  // maps an inherited one
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Grows it (parent) and maps at least this many bytes. Invalidates earlier spans.
  void map(int64_t bytes);
  std::span<std::byte> at(int64_t offset, int64_t bytes) const;  // throws std::out_of_range
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  bool owner_ = false;
  void* start_ = nullptr;
  int64_t mapped_ = 0;
};

}  // namespace ridge::runner
