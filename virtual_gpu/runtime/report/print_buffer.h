// Keeps the output of kernels until the points that CUDA documents (synchronisation, launches,
// blocking copies, cudaDeviceReset); the thread that reaches one prints it. Text that is left at
// the program's end is lost.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace ridge::runtime {

class PrintBuffer {
 public:
  // Discards the oldest calls when the text exceeds `limit_bytes`.
  void add(std::string_view text, size_t limit_bytes);
  // Prints to stdout through the program's own buffer, which keeps the order of both.
  void flush();
  bool empty();

 private:
  std::mutex mutex_;
  std::deque<std::string> calls_;
  size_t bytes_ = 0;
};

}  // namespace ridge::runtime
