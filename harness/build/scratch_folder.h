// A private folder of one process, removed at the end of its life. Two processes never share one.
// Later processes remove the folders that killed processes left.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::build {

class ScratchFolder {
 public:
  // Creates PARENT/PREFIX-xxxxxx; parent must exist. Throws std::system_error on failure.
  ScratchFolder(const std::filesystem::path& parent, const std::string& prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  // Released when this process ends, however it ends: an unlocked folder is abandoned.
  int lock_ = -1;
};

}  // namespace ridge::build
