#include "harness/cli/clone.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/cli/terminal/exit_status.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

bool is_clone(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "labs", ignored) &&
         fs::is_regular_file(folder / "CMakeLists.txt", ignored);
}

}  // namespace

fs::path clone_root() {
  if (const char* root = std::getenv("RIDGE_ROOT"); root && *root) {
    if (is_clone(root)) return fs::canonical(root);
    throw UsageError(
        fmt::format("RIDGE_ROOT is {}, which holds no labs; unset it, or set it to a clone", root));
  }
  std::error_code error;
  const fs::path start = fs::current_path(error);
  if (error)
    throw UsageError(fmt::format("the current folder cannot be read: {}; cd to your clone", error.message()));
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (is_clone(folder)) return folder;
    if (folder == folder.root_path()) break;
  }
  throw UsageError(
      fmt::format("{} is not inside a clone of Ridgepoint; cd to your clone and run ./ridge there, or set "
                  "RIDGE_ROOT to it",
                  start.string()));
}

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}
fs::path build_folder() {
  return program_folder().parent_path();
}
fs::path virtual_libraries() {
  return build_folder() / "lib" / "virtual";
}

}  // namespace ridge::cli
