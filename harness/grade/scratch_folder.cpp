#include "harness/grade/scratch_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "harness/build/shared_folder.h"

namespace ridge::grade {

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) {
  std::error_code error;
  build::make_folders(parent, error);
  std::string name = (std::filesystem::absolute(parent) / "grading-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error(
        fmt::format("could not make a folder in {}: {}. Is the disk full, or the folder another user's?",
                    parent.string(), std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path cache_folder(const std::filesystem::path& asked) {
  if (!asked.empty()) return asked;
  for (const char* variable : {"RIDGE_HOME", "RIDGE_ROOT"})
    if (const char* value = std::getenv(variable); value && *value)
      return std::filesystem::path(value) / ".ridge" / "cache";
  return std::filesystem::path(".ridge") / "cache";
}

}  // namespace ridge::grade
