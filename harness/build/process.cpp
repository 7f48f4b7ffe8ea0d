#include "harness/build/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

#include "harness/sandbox/environment.h"
#include "harness/sandbox/keeper.h"

namespace ridge::build {
namespace {

constexpr int kLookMs = 50;  // polling interval of RunLimits::stop

std::vector<char*> pointers_of(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

void set_limit(__rlimit_resource_t which, int64_t most) {
  const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  if (most > 0) setrlimit(which, &limit);
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry)
    entries.emplace_back(*entry);
  return entries;
}

std::mutex adding;
std::map<std::string, std::string> added;  // by add_for_children()

// Our environment with the given variables replaced. For a `guarded` program only the variables
// that a compiler needs (harness/sandbox/environment.h) are kept. Built before the fork, because
// afterwards no memory may be allocated.
std::vector<std::string> environment_with(std::vector<std::pair<std::string, std::string>> changes,
                                          bool guarded) {
  std::vector<std::string> result;
  for (const auto& [name, value] : added_for_children())
    if (std::none_of(changes.begin(), changes.end(),
                     [&](const auto& one) { return one.first == name; }))
      changes.emplace_back(name, value);
  for (std::string& entry : guarded ? sandbox::passed_on_environment() : whole_environment()) {
    bool replaced = false;
    for (const auto& [name, value] : changes)
      replaced |= entry.starts_with(name + "=");
    if (!replaced) result.push_back(std::move(entry));
  }
  for (const auto& [name, value] : changes)
    result.push_back(name + "=" + value);
  return result;
}

}  // namespace

void add_for_children(const std::string& name, const std::string& value) {
  const std::lock_guard lock(adding);
  added[name] = value;
}

std::vector<std::pair<std::string, std::string>> added_for_children() {
  const std::lock_guard lock(adding);
  return {added.begin(), added.end()};
}

Finished run(const std::vector<std::string>& arguments,
             const std::vector<std::pair<std::string, std::string>>& environment, Keep keep,
             const RunLimits& limits) {
  const bool guarded = limits.seconds > 0;
  std::vector<std::string> words = arguments;
  if (guarded) words.insert(words.begin(), sandbox::find_keeper().string());
  const std::vector<char*> argv = pointers_of(words);
  const std::vector<std::string> texts = environment_with(environment, guarded);
  const std::vector<char*> envp = pointers_of(texts);

  int output[2], failure[2];  // failure: closed by a successful exec, otherwise carries errno
  if (pipe2(output, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  if (pipe2(failure, O_CLOEXEC) != 0) {
    const int error = errno;
    close(output[0]), close(output[1]);
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(error));
  }
  const sandbox::Lifeline lifeline = guarded ? sandbox::make_lifeline() : sandbox::Lifeline{};
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    for (int end : {output[0], output[1], failure[0], failure[1], lifeline.kept, lifeline.given})
      if (end >= 0) close(end);
    throw std::runtime_error(std::string("cannot start another process: ") + std::strerror(error));
  }
  if (child == 0) {
    if (!guarded) prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!guarded && getppid() != parent) _exit(127);
    if (guarded) {
      setpgid(0, 0);
      // Move the descriptors away from the numbers that they will get in the child.
      const int line = fcntl(lifeline.given, F_DUPFD_CLOEXEC, 20);
      failure[1] = fcntl(failure[1], F_DUPFD_CLOEXEC, 20);
      output[1] = fcntl(output[1], F_DUPFD_CLOEXEC, 20);
      dup2(line, sandbox::kLifelineDescriptor);
      dup2(failure[1], sandbox::kFailureDescriptor);
    }
    set_limit(RLIMIT_FSIZE, limits.file_bytes);
    set_limit(RLIMIT_AS, limits.memory_bytes);
    const int empty = open("/dev/null", O_RDWR);
    dup2(empty, 0);
    dup2(output[1], 1);
    dup2(keep == Keep::all ? output[1] : empty, 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvpe(argv[0], argv.data(), envp.data());
    const int error = errno;
    const ssize_t written = write(failure[1], &error, sizeof error);
    _exit(written == sizeof error ? 127 : 126);
  }
  close(output[1]);
  close(failure[1]);
  if (guarded) close(lifeline.given);

  Finished result;
  int exec_error = 0;
  result.started = read(failure[0], &exec_error, sizeof exec_error) != sizeof exec_error;
  close(failure[0]);
  if (!result.started) result.output = std::strerror(exec_error);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  char buffer[4096];
  while (true) {
    if (guarded) {
      const double left =
          limits.seconds - std::chrono::duration<double>(Clock::now() - start).count();
      result.too_long = left <= 0;
      result.stopped = limits.stop && *limits.stop;
      if (result.too_long || result.stopped) break;
      pollfd wanted{output[0], POLLIN, 0};
      const int patience = static_cast<int>(left * 1000) + 1;
      if (poll(&wanted, 1, limits.stop ? std::min(patience, kLookMs) : patience) <= 0) continue;
    }
    const ssize_t count = read(output[0], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    size_t kept = static_cast<size_t>(count);
    if (limits.output_bytes > 0) kept = std::min(kept, limits.output_bytes - result.output.size());
    result.output.append(buffer, kept);
  }
  close(output[0]);
  const bool ended_by_us = result.too_long || result.stopped;
  if (ended_by_us) close(lifeline.kept);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (guarded && !ended_by_us) close(lifeline.kept);
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.too_large = result.status == 128 + SIGXFSZ;
  return result;
}

}  // namespace ridge::build
