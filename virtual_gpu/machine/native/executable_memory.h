// Pages of generated code: first written, then made executable, never both.
#pragma once

#include <cstddef>

namespace ridge::machine {

class ExecutableMemory {
 public:
  // Copies the code to `offset` bytes after the beginning of a page: if all functions began at a
  // page boundary, they would compete for the same sets of the L1 cache. Empty when the system
  // refuses executable memory.
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
