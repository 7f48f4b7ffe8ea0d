// What kernels print is kept until CUDA's documented points (synchronisation, launches, blocking copies,
// cudaDeviceReset) and shown by the thread that gets there. At the end of the program what is left is lost.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace ridge::runtime {

class PrintBuffer {
 public:
  // The oldest calls are lost when the text grows past `limit_bytes`.
  void add(std::string_view text, size_t limit_bytes);
  // To stdout, through the program's own buffer, so that the order of the two is kept.
  void flush();
  bool empty();

 private:
  std::mutex mutex_;
  std::deque<std::string> calls_;
  size_t bytes_ = 0;
};

}  // namespace ridge::runtime
