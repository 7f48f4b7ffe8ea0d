#include "harness/cli/watch/work_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "harness/report/store/database.h"

namespace ridge::cli {
namespace {

// Precedes lines of our protocol; all other lines are output of the work.
constexpr char kMark = '\x1e';

void send(int pipe, char kind, std::string_view text) {
  // JSON keeps any content on one line.
  std::string line = fmt::format(
      "{}{}{}\n", kMark, kind,
      nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  for (std::string_view left = line; !left.empty();) {
    const ssize_t written = write(pipe, left.data(), left.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) left.remove_prefix(static_cast<size_t>(written));
  }
}

[[noreturn]] void work_and_exit(int pipe, pid_t parent, const WorkProcess::Work& work) {
  setpgid(0, 0);  // Ctrl-C must reach only the loop, which ends this process
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGSEGV, SIGBUS,
                           SIGFPE, SIGILL, SIGABRT})
    ::signal(signal, SIG_DFL);
  const int empty = open("/dev/null", O_RDONLY);
  dup2(empty, STDIN_FILENO);
  dup2(pipe, STDOUT_FILENO);
  dup2(pipe, STDERR_FILENO);
  try {
    const std::string result = work([pipe](std::string_view text) { send(pipe, 'p', text); });
    send(pipe, 'r', result);
  } catch (const std::exception& error) {
    send(pipe, 'f', error.what());
  }
  _exit(0);
}

}  // namespace

void WorkProcess::start(const Work& work) {
  if (report::Database::open_now() > 0)
    throw std::logic_error("the store is open: a forked process would lose what it writes to it");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::fflush(nullptr);  // buffered output would otherwise be written twice
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) {
    const int error = errno;
    close(ends[0]), close(ends[1]);
    throw std::system_error(error, std::generic_category(), "cannot start another process");
  }
  if (process_ == 0) work_and_exit(ends[1], parent, work);
  setpgid(process_, process_);
  close(ends[1]);
  pipe_ = ends[0];
  unread_.clear();
}

int WorkProcess::end() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  close(pipe_);
  process_ = pipe_ = -1;
  return status;
}

void WorkProcess::cancel() {
  if (!busy()) return;
  kill(-process_, SIGKILL);
  kill(process_, SIGKILL);  // in case it does not lead its group yet
  end();
}

WorkProcess::News WorkProcess::take() {
  News news;
  if (!busy()) return news;
  char buffer[4096];
  bool closed = false;
  while (true) {
    const ssize_t size = read(pipe_, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    closed = size == 0;
    if (size <= 0) break;
    unread_.append(buffer, static_cast<size_t>(size));
  }
  for (size_t end; (end = unread_.find('\n')) != std::string::npos; unread_.erase(0, end + 1)) {
    const std::string line = unread_.substr(0, end);
    const size_t mark = line.find(kMark);
    if (mark != 0) news.said += line.substr(0, mark) + "\n";
    if (mark == std::string::npos || mark + 2 > line.size()) continue;
    const auto text = nlohmann::json::parse(line.substr(mark + 2), nullptr, false);
    if (!text.is_string()) continue;
    if (line[mark + 1] == 'p') news.progress = text.get<std::string>();
    if (line[mark + 1] == 'r') news.result = text.get<std::string>();
    if (line[mark + 1] == 'f') news.failure = text.get<std::string>();
  }
  // Do not wait for the end of the pipe after the result: a process that the work left behind may
  // hold it open.
  news.ended = closed || news.result || !news.failure.empty();
  if (!news.ended) return news;
  if (news.result || !news.failure.empty()) {
    cancel();
    return news;
  }
  const int status = end();
  news.failure = WIFSIGNALED(status) ? fmt::format("the grading was ended by signal {} ({})",
                                                   WTERMSIG(status), strsignal(WTERMSIG(status)))
                                     : fmt::format("the grading ended without a verdict, with exit status {}",
                                                   WEXITSTATUS(status));
  return news;
}

}  // namespace ridge::cli
