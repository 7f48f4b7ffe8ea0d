#include "harness/runner/process_usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace ridge::runner {

int64_t memory_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  int64_t kilobytes = 0;
  for (std::string line; std::getline(status, line);)
    for (const char* field : {"RssAnon:", "RssShmem:"})
      if (line.starts_with(field)) kilobytes += std::atoll(line.c_str() + std::string_view(field).size());
  return kilobytes * 1024;
}

std::map<std::string, uint64_t> waits_of(pid_t process) {
  std::map<std::string, uint64_t> waits;
  std::error_code error;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), error)) {
    std::ifstream schedstat(thread.path() / "schedstat");
    uint64_t ran_ns = 0, waited_ns = 0;
    if (schedstat >> ran_ns >> waited_ns) waits[thread.path().filename().string()] = waited_ns;
  }
  return waits;
}

double longest_wait_since(const std::map<std::string, uint64_t>& earlier,
                          const std::map<std::string, uint64_t>& now) {
  uint64_t longest_ns = 0;
  for (const auto& [thread, waited_ns] : now) {
    const auto before = earlier.find(thread);
    const uint64_t before_ns = before == earlier.end() ? 0 : before->second;
    if (waited_ns > before_ns) longest_ns = std::max(longest_ns, waited_ns - before_ns);
  }
  return static_cast<double>(longest_ns) * 1e-9;
}

int64_t bytes_in(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  int64_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->is_symlink(ignored)) continue;
    auto size = at->file_size(ignored);
    if (!ignored) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

int64_t most_host_memory() {
  int64_t all = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return std::min<int64_t>(int64_t{8} << 30, all / 4 * 3);
}

}  // namespace ridge::runner
