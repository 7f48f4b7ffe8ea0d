// A terminal with a screen that can be read: a tmux server of our own, with one window.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/build/process.h"

namespace ridge::tests {

class TmuxTerminal {
 public:
  static bool installed() { return std::system("command -v tmux >/dev/null 2>&1") == 0; }

  // Runs `command` with sh in `folder`, which also holds the server's socket.
  TmuxTerminal(const std::string& folder, const std::string& command, int columns, int rows)
      : socket_(folder + "/tmux.socket") {
    ask({"new-session", "-d", "-x", std::to_string(columns), "-y", std::to_string(rows), "-c", folder,
         command});
  }
  ~TmuxTerminal() { ask({"kill-server"}); }
  TmuxTerminal(const TmuxTerminal&) = delete;
  TmuxTerminal& operator=(const TmuxTerminal&) = delete;

  // Letters, or names such as Escape, Enter, C-c.
  void press(const std::vector<std::string>& keys) const {
    std::vector<std::string> words = {"send-keys"};
    words.insert(words.end(), keys.begin(), keys.end());
    ask(words);
  }
  void resize(int columns, int rows) const {
    ask({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(rows)});
  }
  std::string screen() const { return ask({"capture-pane", "-p"}); }
  // A tmux format: "#{alternate_on}" is 1 while a program has the other screen.
  std::string property(const std::string& format) const {
    std::string text = ask({"display-message", "-p", format});
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    return text;
  }

  // Looks until it holds; false when it does not in a time that a slow, loaded machine needs for a grading or
  // two.
  bool comes_true(const std::function<bool()>& holds, double seconds = 180) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
  }
  bool shows(const std::string& text) const {
    return comes_true([&] { return screen().find(text) != std::string::npos; });
  }
  bool no_longer_shows(const std::string& text) const {
    return comes_true([&] { return screen().find(text) == std::string::npos; });
  }

 private:
  std::string ask(const std::vector<std::string>& words) const {
    // No settings of the person whose machine this is; UTF-8 whatever the locale.
    std::vector<std::string> all = {"tmux", "-u", "-S", socket_, "-f", "/dev/null"};
    all.insert(all.end(), words.begin(), words.end());
    return build::run(all, {{"TMUX", ""}, {"LC_ALL", "C.UTF-8"}, {"NO_COLOR", ""}}).output;
  }
  std::string socket_;
};

}  // namespace ridge::tests
