#include "harness/cli/tracing/visualizer_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "harness/cli/clone.h"

namespace ridge::cli {

namespace fs = std::filesystem;

fs::path find_visualizer() {
  const auto runs = [](const fs::path& file) { return access(file.c_str(), X_OK) == 0; };
  if (const fs::path beside = program_folder() / "ridge-view"; runs(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (const fs::path file = fs::path(folder) / "ridge-view"; !folder.empty() && runs(file)) return file;
  }
  return {};
}

std::string start_visualizer(const fs::path& trace, bool there) {
  const fs::path program = find_visualizer();
  if (program.empty())
    return fmt::format("{}.{}", kHowToInstallVisualizer,
                       there ? " Your trace is kept for it." : " t writes the trace that it opens.");
  if (!there) return "There is no trace of this rung yet: press t, then v.";
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return fmt::format("{}: {}", program.string(), std::strerror(errno));
  // Forked twice: it lives on by itself, and nobody has to wait for it.
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const int nothing = open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      dup2(nothing, stream);
    execl(program.c_str(), program.c_str(), trace.c_str(), static_cast<char*>(nullptr));
    const int error = errno;
    _exit(write(failure[1], &error, sizeof error) == sizeof error ? 127 : 126);
  }
  close(failure[1]);
  int error = 0;
  const bool failed = child < 0 || read(failure[0], &error, sizeof error) == sizeof error;
  close(failure[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return failed ? fmt::format("{} could not be started: {}", program.string(), std::strerror(error))
                : "The visualizer opens in a window of its own.";
}

}  // namespace ridge::cli
