// Watches a file in a thread of its own, which wakes the window.
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
    whole,    // it was replaced, or written to its end
    changes,  // written to at all, or SQLite's log beside it (NAME-wal)
  };
  // `wake` is called from a thread of the watch's own. A file that is not there yet is waited for, and so is
  // its folder, where the one above is there.
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
