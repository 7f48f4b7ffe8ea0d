// Reports changes of a file, by inotify on its folder, so that waiting takes no processor time.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::text {

class FileWatch {
 public:
  enum class Events {
    // The file was written and closed, or another file was renamed to its name. Partial writes are
    // not reported.
    finished_writes,
    // Any change of the file, however an editor saves: in place, in two writes, or by replacing it.
    // changed() also compares time and size, for file systems without such events (NFS).
    every_write,
  };

  // An empty path is never reported. A file or folder that does not exist yet is waited for, as
  // long as the folder above exists. A file named `file` + `companion_suffix` counts as the file
  // itself: "-wal" is SQLite's log.
  FileWatch(std::filesystem::path file, Events events, std::string companion_suffix = "");
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Readable after an event in the folder; -1 where the system has no such events.
  int descriptor() const { return inotify_; }
  // True when the file changed since the last call.
  bool changed();

 private:
  struct Stamp {
    std::filesystem::file_time_type time{};
    uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp_now() const;
  bool watch_folder();

  std::filesystem::path file_, folder_;
  Events events_;
  std::string companion_;
  int inotify_ = -1;
  bool watches_folder_ = false;
  Stamp stamp_;
};

}  // namespace ridge::text
