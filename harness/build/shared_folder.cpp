#include "harness/build/shared_folder.h"

#include <sys/stat.h>
#include <unistd.h>

namespace ridge::build {

namespace fs = std::filesystem;

void make_folders(const fs::path& folder, std::error_code& error) {
  error.clear();
  if (fs::is_directory(folder, error)) return;
  const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
  if (parent != folder) make_folders(parent, error);
  if (error) return;
  if (!fs::create_directory(folder, error)) {  // another process made it, or there is an error
    if (error == std::errc::file_exists) error = std::make_error_code(std::errc::not_a_directory);
    return;
  }
  struct stat above {};
  if (stat(parent.c_str(), &above) != 0) return;
  // Not the bits of a world-writable /tmp: its sticky bit protects what these bits would open.
  const mode_t bits = (above.st_mode & S_ISVTX) != 0 ? 0 : above.st_mode & (S_IWGRP | S_IWOTH | S_ISGID);
  struct stat made {};
  if (bits != 0 && stat(folder.c_str(), &made) == 0) chmod(folder.c_str(), (made.st_mode | bits) & 07777);
}

bool can_write_in(const fs::path& folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  while (!fs::exists(there, error) && there != there.root_path())
    there = there.parent_path();
  return access(there.c_str(), W_OK | X_OK) == 0;
}

}  // namespace ridge::build
