#include "harness/build/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

namespace ridge::build {
namespace {

// There is a moment between creating a folder and locking it: younger folders are not considered
// abandoned.
constexpr auto kDoubtful = std::chrono::minutes(1);

int locked(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

void remove_orphans(const std::filesystem::path& parent, const std::string& prefix) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(prefix + "-") || !entry.is_directory(error))
      continue;
    const auto touched = entry.last_write_time(error);
    if (error || std::filesystem::file_time_type::clock::now() - touched < kDoubtful) continue;
    const int lock = locked(entry.path());
    if (lock < 0) continue;
    std::filesystem::remove_all(entry.path(), error);
    close(lock);
  }
}

}  // namespace

ScratchFolder::ScratchFolder(const std::filesystem::path& parent, const std::string& prefix) {
  remove_orphans(parent, prefix);
  std::string name = (std::filesystem::absolute(parent) / (prefix + "-XXXXXX")).string();
  if (!mkdtemp(name.data()))
    throw std::system_error(errno, std::generic_category(), parent.string());
  path_ = name;
  lock_ = locked(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace ridge::build
