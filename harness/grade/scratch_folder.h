// The scratch folder of one grading, and the folder of compiled files.
#pragma once

#include "harness/build/scratch_folder.h"

namespace ridge::grade {

// The scratch folder of one grading, in `parent`, which is created when it is missing.
struct ScratchFolder : build::ScratchFolder {
  explicit ScratchFolder(
      const std::filesystem::path& parent);  // throws std::runtime_error on failure
};

// Request::cache, or its default when it is empty.
std::filesystem::path cache_folder(const std::filesystem::path& asked);

}  // namespace ridge::grade
