// The terminal in watch mode: single keys without Enter, on the alternate screen. It is restored
// however the program ends.
#pragma once

#include <termios.h>

namespace ridge::cli {

// At most one instance. Keys are read without echo and unbuffered; Ctrl-C and Ctrl-Z remain
// signals. The destructor restores the terminal, and so does a handler when a signal such as
// SIGSEGV or SIGABRT ends the program.
class KeyTerminal {
 public:
  KeyTerminal();  // throws std::system_error when standard input is not a terminal
  ~KeyTerminal();
  KeyTerminal(const KeyTerminal&) = delete;
  KeyTerminal& operator=(const KeyTerminal&) = delete;

  // Readable after SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT or SIGWINCH: one byte per
  // signal, its number.
  int signals() const;
  // Switches to the alternate screen, with a hidden cursor and marked pastes; restore() brings back
  // the shell's screen.
  void full_screen();
  // Restores the terminal and stops the process, for Ctrl-Z. Returns when the process continues,
  // with single keys again; the caller must repaint the screen.
  void stop();
  void single_keys();  // also after stop()
  void restore();

 private:
  bool full_screen_ = false;
};

}  // namespace ridge::cli
