#include "harness/runner/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "harness/runner/throw_errno.h"

namespace ridge::runner {

SharedMemory::SharedMemory()
    : descriptor_(memfd_create("ridge", MFD_CLOEXEC | MFD_ALLOW_SEALING)), owner_(true) {
  if (descriptor_ < 0) throw_errno("could not make shared memory (memfd_create)");
  if (fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) throw_errno("could not seal shared memory");
}

SharedMemory::SharedMemory(int descriptor) : descriptor_(descriptor) {}

SharedMemory::~SharedMemory() {
  if (start_) munmap(start_, static_cast<size_t>(mapped_));
  if (descriptor_ >= 0) close(descriptor_);
}

void SharedMemory::map(int64_t bytes) {
  if (bytes <= mapped_) return;
  if (owner_ && ftruncate(descriptor_, bytes) != 0)
    throw_errno("could not grow shared memory (is /dev/shm or memory full?)");
  if (start_) munmap(start_, static_cast<size_t>(mapped_));
  mapped_ = 0;
  start_ = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (start_ == MAP_FAILED) {
    start_ = nullptr;
    throw_errno("could not map shared memory");
  }
  mapped_ = bytes;
}

std::span<std::byte> SharedMemory::at(int64_t offset, int64_t bytes) const {
  if (offset < 0 || bytes < 0 || offset > mapped_ - bytes)
    throw std::out_of_range("a buffer lies outside the shared memory");
  return {static_cast<std::byte*>(start_) + offset, static_cast<size_t>(bytes)};
}

}  // namespace ridge::runner
