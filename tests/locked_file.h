// What several tests use, which ctest runs as processes side by side, is made by the first.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace ridge::tests {

// Locked as long as it lives, for all processes.
class LockedFile {
 public:
  explicit LockedFile(const std::filesystem::path& path) : file_(open(path.c_str(), O_CREAT | O_RDWR, 0600)) {
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) throw std::runtime_error("cannot lock " + path.string());
  }
  ~LockedFile() { close(file_); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

 private:
  int file_;
};

}  // namespace ridge::tests
