// Tells when a file was replaced or written to its end: by inotify, so that waiting costs nothing.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

namespace ridge::view {

class FileWatch {
 public:
  // `wake` is called from a thread of the watch's own. A file that is not there yet is waited for; a folder
  // that cannot be watched is not.
  FileWatch(const std::filesystem::path& file, std::function<void()> wake);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  bool take() { return changed_.exchange(false); }  // since the last call

 private:
  void run(std::string name, const std::function<void()>& wake);
  int notify_ = -1, stop_ = -1;
  std::atomic<bool> changed_{false};
  std::thread thread_;
};

}  // namespace ridge::view
