#include "harness/cli/watch/key_terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ridge::cli {
namespace {

// A signal handler can access only globals.
termios terminal_before;
volatile sig_atomic_t terminal_changed = 0, screen_changed = 0;
int signal_pipe[2] = {-1, -1};

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Alternate screen, hidden cursor, marked pastes, truncated long lines: on and off.
constexpr char kScreenOn[] = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?7l\x1b[H\x1b[2J";
constexpr char kScreenOff[] = "\x1b[?2026l\x1b[0m\x1b[H\x1b[2J\x1b[?7h\x1b[?2004l\x1b[?25h\x1b[?1049l";

template <size_t size>
void send(const char (&text)[size]) {
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text, size - 1);
}

void put_back() {
  if (screen_changed) send(kScreenOff);
  screen_changed = 0;
  if (terminal_changed) tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
  terminal_changed = 0;
}

void forward_signal(int signal) {
  const int error = errno;
  const char byte = static_cast<char>(signal);
  // A full pipe already wakes the loop.
  [[maybe_unused]] const ssize_t written = write(signal_pipe[1], &byte, 1);
  errno = error;
}

void put_back_and_die(int signal) {
  put_back();
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

KeyTerminal::KeyTerminal() {
  if (tcgetattr(STDIN_FILENO, &terminal_before) != 0)
    throw std::system_error(errno, std::generic_category(), "terminal");
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  for (const int signal : kForwarded)
    handle(signal, forward_signal);
  for (const int signal : kFatal)
    handle(signal, put_back_and_die);
  single_keys();
}

KeyTerminal::~KeyTerminal() {
  restore();
  for (const int signal : kForwarded)
    handle(signal, SIG_DFL);
  for (const int signal : kFatal)
    handle(signal, SIG_DFL);
  close(signal_pipe[0]);
  close(signal_pipe[1]);
}

int KeyTerminal::signals() const {
  return signal_pipe[0];
}

void KeyTerminal::full_screen() {
  full_screen_ = true;
  screen_changed = 1;
  send(kScreenOn);
}

void KeyTerminal::single_keys() {
  termios keys = terminal_before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  terminal_changed = 1;
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

void KeyTerminal::restore() {
  put_back();
}

void KeyTerminal::stop() {
  restore();
  raise(SIGSTOP);
  // The process continues. If it is in the background, this call stops it again until it is in the
  // foreground, as intended.
  single_keys();
  if (full_screen_) full_screen();
}

}  // namespace ridge::cli
