#include "harness/sandbox/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace ridge::sandbox {

std::filesystem::path find_keeper() {
  const std::filesystem::path keeper =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ridge-keeper";
  if (access(keeper.c_str(), X_OK) != 0)
    throw std::runtime_error(fmt::format(
        "{} is missing. It is built with the program: run ./ridge in the clone, or build the target "
        "ridge-keeper.",
        keeper.string()));
  return keeper;
}

Lifeline make_lifeline() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "could not make a pipe");
  return {ends[1], ends[0]};
}

}  // namespace ridge::sandbox
