#include "harness/build/shared_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ridge::build {

namespace fs = std::filesystem;

namespace {

// The permission bits that new entries inherit from the folder. Not from a world-writable /tmp: its
// sticky bit is the protection there.
mode_t bits_to_share(const fs::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0 || (status.st_mode & S_ISVTX) != 0) return 0;
  return status.st_mode & (S_IWGRP | S_IWOTH | S_ISGID);
}

bool made_empty(const fs::path& path, bool folder) {
  if (folder) return mkdir(path.c_str(), 0777) == 0;
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
  return file >= 0;
}

// Created under another name and renamed once its bits are set: nobody sees it without them.
bool made_at_once(const fs::path& path, mode_t bits, bool folder) {
  fs::path own = path;
  own += "." + std::to_string(getpid()) + ".new";
  struct stat made {};
  if (!made_empty(own, folder)) return false;
  if (stat(own.c_str(), &made) == 0 && chmod(own.c_str(), (made.st_mode | bits) & 07777) == 0 &&
      renameat2(AT_FDCWD, own.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  folder ? rmdir(own.c_str()) : unlink(own.c_str());
  return false;
}

}  // namespace

void make_folders(const fs::path& folder, std::error_code& error) {
  error.clear();
  if (fs::is_directory(folder, error)) return;
  const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
  if (parent != folder) make_folders(parent, error);
  if (error) return;
  const mode_t bits = bits_to_share(parent);
  if (bits != 0 && made_at_once(folder, bits, true)) return;
  // Another process created it, or.
  if (!fs::create_directory(folder, error) && error == std::errc::file_exists)
    error = std::make_error_code(std::errc::not_a_directory);
  struct stat made {};
  if (!error && bits != 0 && stat(folder.c_str(), &made) == 0 && made.st_uid == geteuid())
    chmod(folder.c_str(), (made.st_mode | bits) & 07777);
}

void make_file(const fs::path& file) {
  const mode_t bits = bits_to_share(fs::absolute(file).parent_path()) & (S_IWGRP | S_IWOTH);
  if (access(file.c_str(), F_OK) != 0) made_at_once(file, bits, false);
}

bool can_write_in(const fs::path& folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  while (!fs::exists(there, error) && there != there.root_path())
    there = there.parent_path();
  return access(there.c_str(), W_OK | X_OK) == 0;
}

}  // namespace ridge::build
