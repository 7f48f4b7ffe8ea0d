// Tells when a file was saved, whichever way an editor saves: written in place, written twice, or replaced by
// a rename.
#pragma once

#include <filesystem>

namespace ridge::cli {

class FileWatch {
 public:
  explicit FileWatch(std::filesystem::path file);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  int descriptor() const {
    return inotify_;
  }  // readable when something happened in the folder; -1: nothing tells
  // Was the file touched since the last call? Also compares time and size, for file systems that do not tell
  // (NFS).
  bool changed();

 private:
  struct Stamp {
    std::filesystem::file_time_type time{};
    uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp_now() const;
  void watch_folder();

  std::filesystem::path file_;
  int inotify_ = -1;
  Stamp stamp_;
};

}  // namespace ridge::cli
