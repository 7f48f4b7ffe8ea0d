#include "text/replace_file.h"

#include <fcntl.h>

#include <cstdio>
#include <system_error>

namespace ridge::text {
namespace {

// Exchanges the names of two files; false where the system or the file system cannot.
bool exchange([[maybe_unused]] const std::filesystem::path& one,
              [[maybe_unused]] const std::filesystem::path& other) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
#else
  return false;
#endif
}

}  // namespace

// An existing file is exchanged, not replaced: ext4 writes all bytes to the disk before a rename
// that replaces a file.
void replace_file(const std::filesystem::path& partial, const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || !exchange(partial, file))
    return std::filesystem::rename(partial, file);
  std::filesystem::remove(partial, ignored);
}

}  // namespace ridge::text
