#include "virtual_gpu/runtime/report/report_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/launch_summary.h"
#include "virtual_gpu/runtime/report/messages.h"

namespace ridge::runtime {
namespace {

// Exists until the program has ended.
LaunchSummary& launch_summary() {
  static auto* summary = new LaunchSummary();
  return *summary;
}

}  // namespace

void append_to_report(std::string line) {
  const std::string& path = process().settings.report_path;
  if (path.empty() || line.empty()) return;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!line.ends_with('\n')) line += '\n';
  int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) say(fmt::format("the report {} cannot be written: {}", path, std::strerror(errno)));
  if (file >= 0) close(file);
}

void add_to_summary(trace::LaunchReport report) {
  launch_summary().add(std::move(report));
}

void write_launch_summary() {
  append_to_report(launch_summary().lines());
}

}  // namespace ridge::runtime
