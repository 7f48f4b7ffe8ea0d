#include "harness/build/shared_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ridge::build {

namespace fs = std::filesystem;

namespace {

// Made under another name and renamed when it has its bits: nobody sees it without them.
bool made_at_once(const fs::path& folder, mode_t bits) {
  fs::path own = folder;
  own += "." + std::to_string(getpid()) + ".new";
  struct stat made {};
  if (mkdir(own.c_str(), 0777) != 0) return false;
  if (stat(own.c_str(), &made) == 0 && chmod(own.c_str(), (made.st_mode | bits) & 07777) == 0 &&
      renameat2(AT_FDCWD, own.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  rmdir(own.c_str());
  return false;
}

}  // namespace

void make_folders(const fs::path& folder, std::error_code& error) {
  error.clear();
  if (fs::is_directory(folder, error)) return;
  const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
  if (parent != folder) make_folders(parent, error);
  if (error) return;
  struct stat above {};
  // Not the bits of a world-writable /tmp: its sticky bit protects what these bits would open.
  const mode_t bits = stat(parent.c_str(), &above) != 0 || (above.st_mode & S_ISVTX) != 0
                          ? 0
                          : above.st_mode & (S_IWGRP | S_IWOTH | S_ISGID);
  if (bits != 0 && made_at_once(folder, bits)) return;
  if (!fs::create_directory(folder, error) && error == std::errc::file_exists)  // another process made it, or
    error = std::make_error_code(std::errc::not_a_directory);
  struct stat made {};
  if (!error && bits != 0 && stat(folder.c_str(), &made) == 0 && made.st_uid == geteuid())
    chmod(folder.c_str(), (made.st_mode | bits) & 07777);
}

bool can_write_in(const fs::path& folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  while (!fs::exists(there, error) && there != there.root_path())
    there = there.parent_path();
  return access(there.c_str(), W_OK | X_OK) == 0;
}

}  // namespace ridge::build
