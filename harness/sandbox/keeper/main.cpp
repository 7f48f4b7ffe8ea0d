// ridge-keeper PROGRAM [ARGUMENTS...]: runs the program, ends with its status, and leaves none of
// its processes behind (harness/sandbox/keeper.h). Started by ridge. Small and statically linked,
// because every sandbox start waits for it.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/sandbox/keeper.h"

namespace {

using ridge::sandbox::kFailureDescriptor;
using ridge::sandbox::kLifelineDescriptor;

[[noreturn]] void become(char** arguments, const sigset_t& mask, pid_t keeper) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(126);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(kFailureDescriptor, &error, sizeof error);
  _exit(127);
}

// The parent of a process, parsed from /proc/PID/stat: "PID (name) state parent ...".
pid_t parent_of(const char* pid) {
  char path[64], line[512];
  std::snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  if (length <= 0) return -1;
  line[length] = 0;
  const char* name_end = std::strrchr(line, ')');  // a name may contain any character
  return name_end && std::strlen(name_end) > 4 ? std::atoi(name_end + 4) : -1;
}

void kill_children() {
  DIR* processes = opendir("/proc");
  if (!processes) return;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(processes))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(entry->d_name) == self)
      kill(std::atoi(entry->d_name), SIGKILL);
  closedir(processes);
}

// The children of killed processes become ours, so repeat until there are none.
void end_everything() {
  while (true) {
    pid_t gone;
    while ((gone = waitpid(-1, nullptr, WNOHANG | __WALL)) > 0) {
    }
    if (gone < 0 && errno == ECHILD) return;
    kill_children();
    pollfd none{-1, 0, 0};
    poll(&none, 1, 1);
  }
}

[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int signal = WTERMSIG(status);
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || fcntl(kLifelineDescriptor, F_SETFD, FD_CLOEXEC) != 0) {
    std::fputs("ridge-keeper is started by ridge\n", stderr);
    return 2;
  }
  fcntl(kFailureDescriptor, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Only the lifeline and SIGKILL may end this process before the program ends.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t self = getpid(), program = fork();
  if (program == 0) become(argv + 1, before, self);
  if (program < 0) return 126;
  // Close the inherited descriptors: their other ends must see them close when the program closes
  // them.
  for (int descriptor = 0; descriptor < 64; ++descriptor)
    if (descriptor != kLifelineDescriptor) close(descriptor);
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  pollfd wanted[2] = {{kLifelineDescriptor, POLLIN, 0},
                      {signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0}};
  while (true) {
    pid_t gone;
    int status = 0;
    while ((gone = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
      if (gone != program) continue;
      end_everything();
      end_as(status);
    }
    poll(wanted, 2, -1);
    if (wanted[0].revents != 0) {
      end_everything();
      return 128 + SIGKILL;
    }
    signalfd_siginfo ended_child;
    while (read(wanted[1].fd, &ended_child, sizeof ended_child) > 0) {
    }
  }
}
