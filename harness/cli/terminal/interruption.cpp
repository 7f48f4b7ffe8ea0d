#include "harness/cli/terminal/interruption.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>

namespace ridge::cli {
namespace {

// A signal handler can access only globals, and may neither allocate nor lock.
constexpr size_t kMostLetters = 400, kMostFiles = 4;

struct LastWords {
  std::array<char, kMostLetters> letters{};
  size_t length = 0;
};
std::array<LastWords, 2> last_words;  // one is in use, the other is being written
std::atomic<const LastWords*> said{last_words.data()};
std::mutex writing;

std::atomic<bool> line_shown{false};
std::array<std::atomic<const char*>, kMostFiles> unfinished{};
std::atomic<pid_t> ourselves{0};
std::atomic<bool> on_terminal{false};

void write_all(const char* text, size_t length) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, length);
}

template <size_t size>
void write_all(const char (&text)[size]) {
  write_all(text, size - 1);
}

void end_well(int signal) {
  const int error = errno;
  // A process that has just been forked prints nothing.
  if (getpid() == ourselves) {
    if (line_shown)
      write_all("\r\x1b[2K");
    else if (signal == SIGINT && on_terminal)
      write_all("\n");  // after the terminal's own ^C
    if (signal == SIGTERM) write_all("ridge: ended by SIGTERM");
    if (signal == SIGHUP) write_all("ridge: ended, as its terminal was closed");
    if (signal == SIGINT) write_all("ridge: interrupted");
    const LastWords* now = said;
    if (now->length > 0) write_all(": ");
    write_all(now->letters.data(), now->length);
    write_all("\n");
    for (const auto& file : unfinished)
      if (const char* path = file) unlink(path);
  }
  ::signal(signal, SIG_DFL);
  raise(signal);  // delivered when this function ends
  errno = error;
}

}  // namespace

void end_well_when_interrupted() {
  ourselves = getpid();
  on_terminal = isatty(STDERR_FILENO) == 1;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {
    }, action{};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    action.sa_handler = end_well;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

void say_when_interrupted(std::string_view text) {
  const std::lock_guard lock(writing);
  LastWords& next = last_words[said.load() == last_words.data() ? 1 : 0];
  next.length = text.copy(next.letters.data(), kMostLetters);
  said = &next;
}

void clear_line_when_interrupted(bool shown) {
  line_shown = shown;
}

void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  raise(signal);
  _exit(128 + signal);
}

UnfinishedFile::UnfinishedFile(std::filesystem::path path) : path_(std::move(path)) {
  for (auto& place : unfinished) {
    const char* nobody = nullptr;
    if (place.compare_exchange_strong(nobody, path_.c_str())) return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  for (auto& place : unfinished) {
    const char* ours = path_.c_str();
    if (place.compare_exchange_strong(ours, nullptr)) break;
  }
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace ridge::cli
