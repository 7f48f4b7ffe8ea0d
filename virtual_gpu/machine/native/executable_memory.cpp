#include "virtual_gpu/machine/native/executable_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

namespace ridge::machine {

ExecutableMemory::ExecutableMemory(const void* code, size_t bytes, size_t offset) : bytes_(offset + bytes) {
  void* pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  std::memcpy(static_cast<std::byte*>(pages) + offset, code, bytes);
  if (mprotect(pages, bytes_, PROT_READ | PROT_EXEC) != 0) {
    munmap(pages, bytes_);
    return;
  }
  pages_ = pages;
  begin_ = static_cast<std::byte*>(pages) + offset;
}

ExecutableMemory::ExecutableMemory(ExecutableMemory&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)), begin_(other.begin_), bytes_(other.bytes_) {}

ExecutableMemory::~ExecutableMemory() {
  if (pages_ != nullptr) munmap(pages_, bytes_);
}

}  // namespace ridge::machine
