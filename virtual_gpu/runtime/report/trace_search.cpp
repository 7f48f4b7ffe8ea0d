#include "virtual_gpu/runtime/report/trace_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace ridge::runtime {
namespace {

struct Launches {
  std::string kernel;
  uint64_t count = 0;
};

struct Search {
  std::mutex mutex;
  bool found = false, found_in_range = false;
  uint64_t of_that_name = 0;
  std::vector<Launches> seen;  // in the order of their first launch
};

// Never destroyed, because it is used at exit, between other destructors.
Search& search() {
  static Search& the_search = *new Search();
  return the_search;
}

}  // namespace

bool claim_trace(const Settings& settings, const std::string& kernel, bool in_range) {
  Search& now = search();
  std::lock_guard lock(now.mutex);
  if (!settings.trace_kernel.empty() || settings.trace_launch != 0) {
    const auto known = std::find_if(now.seen.begin(), now.seen.end(),
                                    [&](const Launches& one) { return one.kernel == kernel; });
    if (known == now.seen.end())
      now.seen.push_back({kernel, 1});
    else
      ++known->count;
    if (kernel.find(settings.trace_kernel) == std::string::npos) return false;
    if (++now.of_that_name != std::max<uint64_t>(1, settings.trace_launch)) return false;
    return now.found = true;
  }
  if (now.found_in_range || (now.found && !in_range)) return false;
  now.found = true;
  now.found_in_range = in_range;
  return true;
}

std::string missed_trace_text(const Settings& settings) {
  Search& now = search();
  std::lock_guard lock(now.mutex);
  if (settings.trace_path.empty() || now.found) return {};
  std::string text = fmt::format("no trace was written to {}: ", settings.trace_path);
  if (settings.trace_kernel.empty() && settings.trace_launch == 0)
    return text + "the program launched no kernel";
  if (now.seen.empty()) return text + "the program launched no kernel";
  const std::string of = settings.trace_kernel.empty()
                             ? std::string()
                             : fmt::format(" of a kernel whose name holds \"{}\"", settings.trace_kernel);
  text += now.of_that_name == 0
              ? fmt::format("there was no launch{}", of)
              : fmt::format("launch {}{} was asked for, and there {} {}", settings.trace_launch, of,
                            now.of_that_name == 1 ? "was only" : "were only", now.of_that_name);
  text += "; the launches were:";
  constexpr size_t kMaxListed = 20;
  for (size_t i = 0; i < std::min(now.seen.size(), kMaxListed); ++i)
    text += fmt::format("\n  {}, launched {}", now.seen[i].kernel,
                        now.seen[i].count == 1 ? "once" : fmt::format("{} times", now.seen[i].count));
  if (now.seen.size() > kMaxListed)
    text += fmt::format("\n  and {} kernels more", now.seen.size() - kMaxListed);
  return text;
}

}  // namespace ridge::runtime
