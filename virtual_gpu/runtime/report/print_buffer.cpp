#include "virtual_gpu/runtime/report/print_buffer.h"

#include <cstdio>

namespace ridge::runtime {

void PrintBuffer::add(std::string_view text, size_t limit_bytes) {
  std::lock_guard lock(mutex_);
  calls_.emplace_back(text);
  bytes_ += text.size();
  while (bytes_ > limit_bytes && calls_.size() > 1) {
    bytes_ -= calls_.front().size();
    calls_.pop_front();
  }
}

void PrintBuffer::flush() {
  std::lock_guard lock(mutex_);
  for (const std::string& text : calls_)
    std::fwrite(text.data(), 1, text.size(), stdout);
  calls_.clear();
  bytes_ = 0;
}

bool PrintBuffer::empty() {
  std::lock_guard lock(mutex_);
  return calls_.empty();
}

}  // namespace ridge::runtime
