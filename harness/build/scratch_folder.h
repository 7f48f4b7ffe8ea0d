// A folder of one process's own, removed at the end of its life: two at once never meet. What was left by
// those that were killed is removed by later ones.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::build {

class ScratchFolder {
 public:
  // PARENT/PREFIX-xxxxxx; parent must be there. Throws std::system_error when it cannot be made.
  ScratchFolder(const std::filesystem::path& parent, const std::string& prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // held while we live, whatever ends us: a folder without it is nobody's
};

}  // namespace ridge::build
