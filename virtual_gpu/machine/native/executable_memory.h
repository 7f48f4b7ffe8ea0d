// Pages with code in them: written first, then made executable, never both.
#pragma once

#include <cstddef>

namespace ridge::machine {

class ExecutableMemory {
 public:
  // A copy of the code, `offset` bytes behind the beginning of a page: were all at the beginning of theirs,
  // all would compete for the same few lines of the first-level cache. Nothing when the system refuses
  // executable memory.
  ExecutableMemory(const void* code, size_t bytes, size_t offset);
  ~ExecutableMemory();
  ExecutableMemory(ExecutableMemory&& other) noexcept;
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(ExecutableMemory&&) = delete;

  const void* begin() const { return begin_; }

 private:
  void* pages_ = nullptr;
  void* begin_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace ridge::machine
