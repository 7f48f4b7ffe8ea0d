// The scratch folder of one grading, and the folder of compiled files.
#pragma once

#include "harness/build/scratch_folder.h"

namespace ridge::grade {

// One grading's, in `parent`, which is made when it is not there.
struct ScratchFolder : build::ScratchFolder {
  explicit ScratchFolder(
      const std::filesystem::path& parent);  // throws std::runtime_error when it cannot be made
};

// Request::cache, or what stands for it when it is empty.
std::filesystem::path cache_folder(const std::filesystem::path& asked);

}  // namespace ridge::grade
