#include "harness/grade/scratch_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "harness/build/shared_folder.h"

namespace ridge::grade {
namespace {

const std::filesystem::path& made(const std::filesystem::path& parent) {
  std::error_code error;
  build::make_folders(parent, error);
  return parent;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) try : build
  ::ScratchFolder(made(parent), "grading") {}
catch (const std::system_error& error) {
  throw std::runtime_error(
      fmt::format("could not make a folder in {}: {}. Is the disk full, or the folder another user's?",
                  parent.string(), error.code().message()));
}

std::filesystem::path cache_folder(const std::filesystem::path& asked) {
  if (!asked.empty()) return asked;
  for (const char* variable : {"RIDGE_HOME", "RIDGE_ROOT"})
    if (const char* value = std::getenv(variable); value && *value)
      return std::filesystem::path(value) / ".ridge" / "cache";
  return std::filesystem::path(".ridge") / "cache";
}

}  // namespace ridge::grade
