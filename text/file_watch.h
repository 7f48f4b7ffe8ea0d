// Tells when a file changes, by inotify on its folder, so that waiting costs nothing.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::text {

class FileWatch {
 public:
  enum class Events {
    // The file was written and closed, or another file was renamed to its name. What is half written is not
    // reported.
    finished_writes,
    // The file was touched at all, whichever way an editor saves: written in place, written twice, or
    // replaced. changed() also compares time and size, for file systems without such events (NFS).
    every_write,
  };

  // An empty path is watched for nothing. A file that is not there yet is waited for, and so is its folder
  // where the folder above exists. A file whose name is `file` + `companion_suffix` counts as the file
  // itself: "-wal" is SQLite's log.
  FileWatch(std::filesystem::path file, Events events, std::string companion_suffix = "");
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Readable when something happened in the folder; -1 where the system offers no such events.
  int descriptor() const { return inotify_; }
  // Did the file change since the last call?
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
