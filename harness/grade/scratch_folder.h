// A folder of one grading's own, removed at the end of its life: two gradings at once never meet. What
// gradings left that were killed is removed by later ones.
#pragma once

#include <filesystem>

namespace ridge::grade {

class ScratchFolder {
 public:
  explicit ScratchFolder(
      const std::filesystem::path& parent);  // throws std::runtime_error when it cannot be made
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // held while we live, whatever ends us: a folder without it is nobody's
};

// Request::cache, or what stands for it when it is empty.
std::filesystem::path cache_folder(const std::filesystem::path& asked);

}  // namespace ridge::grade
