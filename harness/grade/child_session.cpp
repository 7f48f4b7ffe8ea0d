#include "harness/grade/child_session.h"

#include "trace/environment.h"

namespace ridge::grade {

namespace {

// On the virtual GPU the bounds check detects accesses outside an array and names the line; on a
// GPU the guard bands detect writes.
constexpr int64_t kGuardBytes = 32 * 1024;

}  // namespace

runner::SessionOptions child_session(const runner::Installation& installation, Engine engine,
                                     const std::filesystem::path& libraries,
                                     const std::filesystem::path& scratch) {
  runner::SessionOptions options;
  options.installation = installation;
  options.library_folder = libraries;
  options.gpu = engine == Engine::gpu;
  options.scratch = scratch / "child";
  std::filesystem::create_directories(options.scratch);
  options.report_file = scratch / "launches.jsonl";
  options.call_limit_seconds = kCallLimitSeconds;
  options.guard_bytes = options.gpu ? kGuardBytes : 0;
  return options;
}

void add_virtual_devices(const course::Rung& rung, runner::SessionOptions& options) {
  if (!rung.devices.empty())
    options.environment.emplace_back(trace::kDevicesVariable, std::to_string(rung.most_devices()));
}

}  // namespace ridge::grade
