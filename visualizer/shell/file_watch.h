// Tells when a file was replaced or written to its end: by inotify, so that waiting costs nothing.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

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
  bool watch_folder();
  bool is_ours(std::string_view changed) const;
  std::filesystem::path folder_;
  std::string name_;
  What what_ = What::whole;
  bool watches_folder_ = false;
  int notify_ = -1, stop_ = -1;
  std::atomic<bool> changed_{false};
  std::thread thread_;
};

}  // namespace ridge::view
