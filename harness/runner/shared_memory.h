// Memory that the parent and the child both map: a memfd that can grow and never shrink, so that the child
// cannot take pages away from under the parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ridge::runner {

class SharedMemory {
 public:
  SharedMemory();                         // makes one; throws std::system_error
  explicit SharedMemory(int descriptor);  // maps one that was inherited
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Grows (parent) and maps at least so many bytes. Earlier spans are void afterwards.
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
