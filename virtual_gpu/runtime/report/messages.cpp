#include "virtual_gpu/runtime/report/messages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace ridge::runtime {
namespace {

// One write per message: programs with several processes share the terminal.
void write_to_stderr(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void say(std::string_view message) {
  write_to_stderr(fmt::format("virtual GPU: {}\n", message));
}

void print_fault(std::string_view message) {
  bool colour = isatty(STDERR_FILENO) && !std::getenv("NO_COLOR");
  write_to_stderr(colour ? fmt::format("\033[1;31mvirtual GPU:\033[0m {}\n", message)
                         : fmt::format("virtual GPU: {}\n", message));
}

std::string bytes_text(unsigned long long bytes) {
  if (bytes >= 1ull << 30) return fmt::format("{:.4g} GB", static_cast<double>(bytes) / (1ull << 30));
  if (bytes >= 1ull << 20) return fmt::format("{:.4g} MB", static_cast<double>(bytes) / (1ull << 20));
  return fmt::format("{} bytes", bytes);
}

}  // namespace ridge::runtime
