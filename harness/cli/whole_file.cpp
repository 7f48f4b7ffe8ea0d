#include "harness/cli/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"

namespace ridge::cli {

namespace fs = std::filesystem;

// Writes a temporary file and renames it: on a full disk the old file remains.
void replace_file(const fs::path& file, const std::string& text) {
  const UnfinishedFile fresh(file.string() + fmt::format(".new-{}", getpid()));
  const int descriptor = open(fresh.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool written = descriptor >= 0 &&
                       write(descriptor, text.data(), text.size()) == ssize_t(text.size()) &&
                       fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  std::error_code renamed;
  if (written) fs::rename(fresh.path(), file, renamed);
  if (!written || renamed)
    throw MachineError(fmt::format("cannot write {}: {}", file.string(),
                                   written ? renamed.message() : std::strerror(error)));
}

fs::path keep_beside(const fs::path& file) {
  for (int number = 1;; ++number) {
    const fs::path kept = fmt::format("{}.mine-{}", file.string(), number);
    std::error_code error;
    if (fs::exists(kept, error)) continue;
    fs::copy_file(file, kept, fs::copy_options::none, error);
    if (!error) return kept;
    fs::remove(kept, error);
    throw MachineError(fmt::format(
        "cannot write {}, so nothing was changed: make room or make the folder writable", kept.string()));
  }
}

}  // namespace ridge::cli
