// A program in a pseudo-terminal: what a person at a keyboard would see and do.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridge::tests {

class PseudoTerminal {
 public:
  PseudoTerminal(const std::vector<std::string>& command, const std::string& root,
                 const char* kind = "xterm-256color") {
    winsize size{40, 100, 0, 0};
    // The far side is kept open here: the settings of the terminal can be read after the program has ended.
    if (openpty(&near_, &far_, nullptr, nullptr, &size) != 0) throw std::runtime_error("no pseudo-terminal");
    fcntl(near_, F_SETFD, FD_CLOEXEC);
    fcntl(far_, F_SETFD, FD_CLOEXEC);
    tcgetattr(far_, &before_);
    std::vector<char*> words;
    for (const std::string& word : command)
      words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
      setenv("RIDGE_ROOT", root.c_str(), 1);
      setenv("NO_COLOR", "1", 1);
      unsetenv("DISPLAY");  // no window opens on the screen of whoever runs the tests
      unsetenv("WAYLAND_DISPLAY");
      setenv("TERM", kind, 1);
      login_tty(dup(far_));
      execv(words[0], words.data());
      _exit(127);
    }
  }
  ~PseudoTerminal() {
    if (process_ > 0 && !ended_) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(near_);
    close(far_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void type(const std::string& keys) const {
    if (write(near_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
      throw std::runtime_error("typing");
  }
  // Reads until `text` was shown after what earlier calls consumed. False when it does not come in time.
  bool shows(const std::string& text, double seconds = 180) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
      const size_t at = screen_.find(text, seen_);
      if (at != std::string::npos) {
        seen_ = at + text.size();
        return true;
      }
      if (std::chrono::steady_clock::now() > deadline) return false;
      read_some(50);
    }
  }
  // The exit status, or 128 + signal; -1 when it does not end in time.
  int ends(double seconds = 180) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(process_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) return -1;
      read_some(20);
    }
    ended_ = true;
    while (read_some(100)) {  // what it said last may still be on its way
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  bool stopped(double seconds = 180) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (std::chrono::steady_clock::now() < deadline) {
      if (waitpid(process_, &status, WNOHANG | WUNTRACED) == process_) return WIFSTOPPED(status);
      read_some(20);
    }
    return false;
  }
  bool is_as_before() const {
    termios now{};
    tcgetattr(far_, &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag;
  }
  bool takes_single_keys() const {
    termios now{};
    tcgetattr(far_, &now);
    return (now.c_lflag & (ICANON | ECHO)) == 0;
  }
  pid_t process() const { return process_; }
  const std::string& screen() const { return screen_; }

 private:
  // False when nothing came.
  bool read_some(int wait_ms) {
    pollfd wait{near_, POLLIN, 0};
    if (poll(&wait, 1, wait_ms) <= 0) return false;
    char buffer[4096];
    const ssize_t size = read(near_, buffer, sizeof buffer);
    if (size > 0) screen_.append(buffer, static_cast<size_t>(size));
    return size > 0;
  }

  int near_ = -1, far_ = -1;
  pid_t process_ = -1;
  bool ended_ = false;
  termios before_{};
  std::string screen_;
  size_t seen_ = 0;
};

}  // namespace ridge::tests
