// Starts ridge-view, or its build, as a process that outlives this one.
#include "harness/cli/tracing/visualizer_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "harness/cli/clone.h"

namespace ridge::cli {

namespace fs = std::filesystem;

fs::path find_visualizer() {
  const auto runs = [](const fs::path& file) { return access(file.c_str(), X_OK) == 0; };
  if (const fs::path own = program_folder() / "ridge-view"; runs(own)) return own;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (const fs::path file = fs::path(folder) / "ridge-view"; !folder.empty() && runs(file)) return file;
  }
  return {};
}

namespace {

// Starts the program as an independent process with its output in `output`; returns the error, or
// an empty text. It forks twice, so that no process has to wait for it.
std::string start_alone(const std::vector<std::string>& words, int output) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return std::strerror(errno);
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    const int error = errno;
    _exit(write(failure[1], &error, sizeof error) == sizeof error ? 127 : 126);
  }
  close(failure[1]);
  int error = 0;
  const bool failed = child < 0 || read(failure[0], &error, sizeof error) == sizeof error;
  close(failure[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return failed ? std::strerror(error) : "";
}

std::string last_line(const fs::path& file) {
  std::ifstream text(file);
  std::string last;
  for (std::string line; std::getline(text, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

// The log stays locked as long as the script and its successor run.
std::string start_visualizer_build(const fs::path& clone, const fs::path& trace, const fs::path& log) {
  const fs::path script = clone / "ridge";
  if (access(script.c_str(), X_OK) != 0)
    return fmt::format("There is no {}: {}.", script.string(), kHowToBuildVisualizer);
  const int output = open(log.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (output < 0) return fmt::format("{}: {}", log.string(), std::strerror(errno));
  std::string message;
  if (flock(output, LOCK_EX | LOCK_NB) != 0) {
    message = fmt::format("The visualizer is still being built: {}", last_line(log));
  } else {
    const std::string before = last_line(log);
    if (ftruncate(output, 0) != 0) lseek(output, 0, SEEK_END);
    const std::string problem = start_alone({script.string(), "view", trace.string()}, output);
    message =
        !problem.empty() ? fmt::format("{} could not be started: {}", script.string(), problem)
        : before.empty()
            ? "The visualizer is built on its first use; it opens when it is ready. v says how far it is."
            : fmt::format("The visualizer is built once more; the last time ended with: {}",
                          before);
  }
  close(output);
  return message;
}

std::string start_visualizer(const fs::path& clone, const fs::path& trace, bool there) {
  if (!there) return "There is no trace of this rung yet: press t, then v.";
  const fs::path program = find_visualizer();
  if (program.empty()) return start_visualizer_build(clone, trace, build_folder() / "visualizer.log");
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const std::string problem = start_alone({program.string(), trace.string()}, nothing);
  close(nothing);
  return problem.empty() ? "The visualizer opens in a window of its own."
                         : fmt::format("{} could not be started: {}", program.string(), problem);
}

}  // namespace ridge::cli
