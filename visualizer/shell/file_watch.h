// Watches a file in a separate thread, which wakes the window.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "text/file_watch.h"

namespace ridge::view {

class FileWatch {
 public:
  enum class What {
    whole,    // it was replaced, or written and closed
    changes,  // any write, also to SQLite's log (NAME-wal)
  };
  // `wake` is called on the watch's own thread. A file or folder that does not exist yet is waited
  // for, as long as the folder above exists.
  FileWatch(const std::filesystem::path& file, std::function<void()> wake, What what = What::whole);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  bool take() { return changed_.exchange(false); }  // since the last call

 private:
  void run(const std::function<void()>& wake);

  text::FileWatch file_;
  int stop_ = -1;
  std::atomic<bool> changed_{false};
  std::thread thread_;
};

}  // namespace ridge::view
