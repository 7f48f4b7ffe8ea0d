#include "text/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace ridge::text {
namespace {

// Returns 0 or an errno.
int read_into(const std::filesystem::path& file, std::string& text) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct stat status {};
  const size_t expected = fstat(descriptor, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  int error = 0;
  for (size_t size = 0;;) {
    // One byte more than expected: a read of 0 bytes then detects the end without a second
    // allocation.
    text.resize(std::max(expected + 1, size + 4096));
    const ssize_t got = read(descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got > 0) size += static_cast<size_t>(got);
    if (got > 0) continue;
    text.resize(size);
    break;
  }
  close(descriptor);
  return error;
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  std::string text;
  if (const int error = read_into(file, text))
    throw std::runtime_error(
        fmt::format("cannot read {}: {}", file.string(), std::generic_category().message(error)));
  return text;
}

std::optional<std::string> read_file_if_readable(const std::filesystem::path& file) {
  std::string text;
  if (read_into(file, text) != 0) return std::nullopt;
  return text;
}

}  // namespace ridge::text
