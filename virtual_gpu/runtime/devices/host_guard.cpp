#include "virtual_gpu/runtime/devices/host_guard.h"

#include <sys/mman.h>

#include <algorithm>
#include <stdexcept>

namespace ridge::runtime {
namespace {

constexpr uint64_t kPage = 4096;

void protect(uint64_t begin, uint64_t bytes, bool open) {
  mprotect(reinterpret_cast<void*>(begin), bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace

void HostGuard::protect_all(bool open) {
  for (const auto& [begin, bytes] : pages_)
    protect(begin, bytes, open);
}

void HostGuard::add(uint64_t begin, uint64_t bytes) {
  if (!is_on_) return;
  if (begin % kPage != 0) throw std::logic_error("guarded memory must begin at a page");
  const std::lock_guard lock(mutex_);
  const uint64_t whole = (std::max<uint64_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  pages_[begin] = whole;
  protect(begin, whole, working_ > 0);
}

void HostGuard::remove(uint64_t begin) {
  if (!is_on_) return;
  const std::lock_guard lock(mutex_);
  const auto found = pages_.find(begin);
  if (found == pages_.end()) return;
  protect(found->first, found->second, true);
  pages_.erase(found);
}

void HostGuard::begin_work() {
  if (!is_on_) return;
  const std::lock_guard lock(mutex_);
  if (working_++ == 0) protect_all(true);
}

void HostGuard::end_work() {
  if (!is_on_) return;
  const std::lock_guard lock(mutex_);
  if (--working_ == 0) protect_all(false);
}

}  // namespace ridge::runtime
