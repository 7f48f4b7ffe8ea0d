// The terminal in watch mode: single keys without Enter, a screen of its own, and put back as it was however
// the program ends.
#pragma once

#include <termios.h>

namespace ridge::cli {

// One at a time. Keys come without echo and unbuffered; Ctrl-C and Ctrl-Z stay signals. Restored by the
// destructor, and from a handler when a signal such as SIGSEGV or SIGABRT ends the program.
class KeyTerminal {
 public:
  KeyTerminal();  // throws std::system_error when standard input is no terminal
  ~KeyTerminal();
  KeyTerminal(const KeyTerminal&) = delete;
  KeyTerminal& operator=(const KeyTerminal&) = delete;

  // Readable when SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT or SIGWINCH came: one byte each, its
  // number.
  int signals() const;
  // The other screen of the terminal, without a cursor, with pasted text marked as such; what the shell
  // showed comes back with restore().
  void full_screen();
  // Gives the terminal back and stops, as Ctrl-Z asks; returns when continued, with single keys again and the
  // screen to be painted anew.
  void stop();
  void single_keys();  // (again)
  void restore();

 private:
  bool full_screen_ = false;
};

}  // namespace ridge::cli
