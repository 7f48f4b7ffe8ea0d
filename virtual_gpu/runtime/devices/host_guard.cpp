#include "virtual_gpu/runtime/devices/host_guard.h"

#include <sys/mman.h>

namespace ridge::runtime {
namespace {

constexpr uint64_t kPage = 4096;

void protect(std::pair<uint64_t, uint64_t> pages, bool open) {
  if (pages.second != 0)
    mprotect(reinterpret_cast<void*>(pages.first), pages.second, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace

void HostGuard::protect_all(bool open) {
  for (const auto& [begin, pages] : pages_)
    protect(pages, open);
}

void HostGuard::add(uint64_t begin, uint64_t bytes) {
  if (!is_on_) return;
  const uint64_t first = (begin + kPage - 1) / kPage * kPage, end = (begin + bytes) / kPage * kPage;
  if (end <= first) return;
  const std::lock_guard lock(mutex_);
  pages_[begin] = {first, end - first};
  protect(pages_[begin], working_ > 0);
}

void HostGuard::remove(uint64_t begin) {
  if (!is_on_) return;
  const std::lock_guard lock(mutex_);
  const auto found = pages_.find(begin);
  if (found == pages_.end()) return;
  protect(found->second, true);
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
