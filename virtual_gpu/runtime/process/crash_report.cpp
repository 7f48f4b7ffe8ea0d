#include "virtual_gpu/runtime/process/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "virtual_gpu/machine/faults/executing.h"
#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {
namespace {

struct FatalSignal {
  int number;
  const char* name;
  struct sigaction before;
};
std::array<FatalSignal, 5> signals{{{SIGSEGV, "SIGSEGV", {}},
                                    {SIGBUS, "SIGBUS", {}},
                                    {SIGFPE, "SIGFPE", {}},
                                    {SIGILL, "SIGILL", {}},
                                    {SIGABRT, "SIGABRT", {}}}};

// Builds text in its own buffer: a signal handler must not allocate memory.
class Text {
 public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + length_, sizeof text_ - length_, format, arguments);
    va_end(arguments);
    if (length > 0) length_ = std::min(sizeof text_ - 1, length_ + static_cast<size_t>(length));
  }
  // Escaped for a JSON string.
  void add_escaped(const char* text) {
    for (; *text != '\0'; ++text) {
      const auto c = static_cast<unsigned char>(*text);
      if (c == '"' || c == '\\')
        add("\\%c", c);
      else if (c < 0x20)
        add("\\u%04x", c);
      else
        add("%c", c);
    }
  }
  void write_to(int file) const {
    if (write(file, text_, length_) < 0) return;  // the error cannot be reported
  }
  const char* c_str() const { return text_; }

 private:
  char text_[4096] = {};
  size_t length_ = 0;
};

void describe(Text& text, const FatalSignal& signal, const siginfo_t* info,
              const machine::ExecutionPlace& place) {
  text.add("The virtual GPU failed: %s", signal.name);
  const bool was_sent = info->si_code <= 0;  // by a process, this one or another: there is no address
  if (!was_sent && (signal.number == SIGSEGV || signal.number == SIGBUS))
    text.add(" at address %p", info->si_addr);
  if (place.text != nullptr) {
    text.add(" while it executed `%s`", place.text);
    if (place.line != 0)
      text.add(" (%s:%u)", place.file, place.line);
    else
      text.add(" (PTX line %u)", place.ptx_line);
    text.add(" of %s, block (%u,%u,%u), warp %u", place.kernel, place.block.x, place.block.y,
             place.block.z, place.warp);
  } else {
    text.add(" while it began or ended a launch of %s", place.kernel);
  }
  if (was_sent && info->si_pid != getpid()) {
    text.add(". Process %d sent the signal", static_cast<int>(info->si_pid));
    return;
  }
  text.add("%s", place.bounds_checks
                     ? ". This is a defect of the virtual GPU and says nothing about the kernel. Try: run it "
                       "with --checks none, or on a GPU, and report it with the program"
                     : ". The bounds checks are off, so an access outside of its array can end like this. "
                       "Try: run it with --checks bounds");
}

void add_to_report(const Text& message, const machine::ExecutionPlace& place) {
  const std::string& path = process().settings.report_path;
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  Text line;
  line.add("{\"version\":1,\"kernel\":\"");
  line.add_escaped(place.kernel);
  line.add("\",\"findings\":[{\"check\":\"internal\",\"message\":\"");
  line.add_escaped(message.c_str());
  line.add("\",\"file\":\"");
  line.add_escaped(place.file);
  line.add("\",\"line\":%u,\"ptx_line\":%u,\"block\":[%u,%u,%u],\"thread\":[0,0,0]}]}\n", place.line,
           place.ptx_line, place.block.x, place.block.y, place.block.z);
  line.write_to(file);
  close(file);
}

void handle(int number, siginfo_t* info, void*) {
  for (FatalSignal& signal : signals) {
    if (signal.number != number) continue;
    // Restore the previous handler: the signal occurs again when this handler returns, and ends the
    // program.
    sigaction(number, &signal.before, nullptr);
    if (const auto place = machine::ExecutionPlace::of_this_thread()) {
      Text message;
      describe(message, signal, info, *place);
      Text line;
      line.add("virtual GPU: %s\n", message.c_str());
      line.write_to(STDERR_FILENO);
      std::array<void*, 24> frames{};
      backtrace_symbols_fd(frames.data(), backtrace(frames.data(), static_cast<int>(frames.size())),
                           STDERR_FILENO);
      add_to_report(message, *place);
    }
    // A signal from another process or from raise() does not occur again by itself.
    if (info->si_code <= 0) raise(number);
    return;
  }
}

}  // namespace

void report_crashes() {
  std::array<void*, 1> frame{};
  backtrace(frame.data(), 1);  // its first call allocates
  for (FatalSignal& signal : signals) {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal.number, &action, &signal.before);
  }
}

}  // namespace ridge::runtime
