// Landlock by direct system calls: no library of the distribution supports it, and the kernel
// header of Debian 12 ends with version 2, so later rights are written as numbers
// (linux/landlock.h, from 6.12).
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "harness/sandbox/confine.h"

namespace ridge::sandbox {

namespace {

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1, kPathBeneath = 1;
constexpr uint64_t kExecute = 1, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3,
                   kTruncate = 1 << 14, kIoctl = 1 << 15;
constexpr uint64_t kReading = kExecute | kReadFile | kReadFolder;
constexpr uint64_t kOnFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctl;

struct Ruleset {
  uint64_t files, network, scopes;
};
struct [[gnu::packed]] PathRule {
  uint64_t allowed;
  int32_t folder;
};

// The rights of a version of the kernel's Landlock.
uint64_t file_rights(long version) {
  uint64_t rights = (1 << 13) - 1;  // version 1: thirteen
  if (version >= 2) rights |= 1 << 13;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kIoctl;
  return rights;
}

bool allow(int ruleset, const std::filesystem::path& path, uint64_t rights) {
  int folder = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (folder < 0) return false;
  struct stat status {};
  if (fstat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= kOnFiles;
  PathRule rule{rights, folder};
  bool added = syscall(kAddRule, ruleset, kPathBeneath, &rule, 0) == 0;
  close(folder);
  return added;
}

}  // namespace

bool confine_files(const Policy& policy) {
  long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  // Version 4: bind and connect by TCP. Version 6: abstract sockets and signals to outside
  // processes.
  Ruleset wanted{file_rights(version), version >= 4 ? 3u : 0u, version >= 6 ? 3u : 0u};
  size_t size = version >= 6 ? sizeof wanted : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  int ruleset = static_cast<int>(syscall(kCreateRuleset, &wanted, size, 0));
  if (ruleset < 0) return false;
  bool all = true;
  for (const auto& path : system_paths())
    allow(ruleset, path, kReading);
  allow(ruleset, "/proc", kReading);
  allow(ruleset, "/proc/self/task", kReading | kWriteFile);  // the driver names its threads
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full"})
    allow(ruleset, device, (kReadFile | kWriteFile | kTruncate) & wanted.files);
  if (policy.gpu) {
    std::error_code ignored;
    allow(ruleset, "/dev", kReadFolder);
    allow(ruleset, "/dev/shm", wanted.files);
    for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with("nvidia") || name == "dxg") allow(ruleset, entry.path(), wanted.files);
    }
  }
  for (const auto& path : policy.readable)
    all &= allow(ruleset, path, kReading);
  for (const auto& path : policy.writable)
    all &= allow(ruleset, path, wanted.files);
  bool done = all && syscall(kRestrictSelf, ruleset, 0) == 0;
  close(ruleset);
  return done;
}

}  // namespace ridge::sandbox
